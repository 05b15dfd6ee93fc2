// Paging of lists: limit, marker, order, and the link to the next page, which keeps the request's parameters.
import type { Paging } from '../db/tables/paging.ts';
import type { SqlValue } from '../db/tables/rows.ts';
import { type FieldTable, storageOf } from '../model/records/fields.ts';
import { fault } from '../model/faults.ts';
import type { Parameters } from './parameters.ts';
import type { ApiRequest } from './route.ts';

export const pagingParameters = {
  limit: { kind: 'integer' },
  marker: { kind: 'uuid' },
  sort_key: { kind: 'text' },
  sort_dir: { kind: 'text', values: ['asc', 'desc'] },
} as const satisfies Parameters;

type PagingQuery = ApiRequest<typeof pagingParameters>['query'];
interface Limited {
  readonly query: Pick<PagingQuery, 'limit'>;
  readonly services: ApiRequest['services'];
}

/** `find` returns the marker's record. Throws InvalidParameter, InvalidSortKey, VersionTooOld or what `find` throws. */
export function pagingOf(
  request: Limited & { readonly query: PagingQuery; readonly minor: number },
  fields: FieldTable,
  find: (marker: string) => { readonly uuid: string },
): Paging {
  const { marker, sort_key } = request.query;
  const sortKey = sort_key === undefined || sort_key === '' ? 'id' : sort_key;
  const limit = limitOf(request);
  const descending = isDescending(request.query);
  refuseUnsortable(sortKey, fields, request.minor);
  const last = marker === undefined ? undefined : find(marker);
  return {
    limit,
    sortKey,
    descending,
    ...(last !== undefined && { after: { uuid: last.uuid, value: sortValue(last, sortKey) } }),
  };
}

export function limitOf({ query: { limit }, services }: Limited): number {
  const maximum = services.config.api.max_limit;
  if (limit !== undefined && limit < 1)
    throw fault('InvalidParameter', { name: 'limit', reason: 'Limit must be positive' });
  return Math.min(limit ?? maximum, maximum);
}

export const isDescending = ({ sort_dir: direction }: Pick<PagingQuery, 'sort_dir'>): boolean =>
  direction === 'desc';

function refuseUnsortable(key: string, fields: FieldTable, minor: number): void {
  if (key === 'id') return;
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (field === undefined || field.computed === true || storageOf(field) === 'json')
    throw fault('InvalidSortKey', { key });
  if (field.since > minor) throw fault('VersionTooOld', { since: field.since });
}

function sortValue(last: object, key: string): SqlValue {
  const value = (last as Readonly<Record<string, SqlValue | boolean>>)[key] ?? null;
  return typeof value === 'boolean' ? Number(value) : value;
}

/** Returns the URL of the next page as `next`, if this page is full or was cut short (`isCut`); otherwise an empty object. */
export function nextLink(
  request: Pick<ApiRequest, 'baseUrl' | 'path' | 'query'>,
  paging: Pick<Paging, 'limit'>,
  items: readonly { readonly uuid: string }[],
  isCut = false,
): { readonly next?: string } {
  const last = items.at(-1);
  if (last === undefined || (items.length < paging.limit && !isCut)) return {};
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query)) {
    query.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  query.set('limit', String(paging.limit));
  query.set('marker', last.uuid);
  return { next: `${request.baseUrl}${request.path}?${query.toString().replaceAll('%2C', ',')}` };
}
