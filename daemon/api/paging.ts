// Lists: limit, marker, order, and the link to the next page that keeps everything the request asked for.
import type { Paging } from '../db/tables/paging.ts';
import type { SqlValue } from '../db/columns.ts';
import { type FieldTable, storageOf } from '../model/fields.ts';
import { fault } from '../model/faults.ts';
import type { ApiRequest, Parameters } from './route.ts';

export const pagingParameters = {
  limit: { kind: 'integer' },
  marker: { kind: 'text' },
  sort_key: { kind: 'text' },
  sort_dir: { kind: 'text' },
} as const satisfies Parameters;

type PagingQuery = ApiRequest<typeof pagingParameters>['query'];

/** `find` gives the marker's record. Throws for a bad limit, order, or a marker that `find` does not accept. */
export function pagingOf(
  request: { readonly query: PagingQuery; readonly minor: number; readonly services: ApiRequest['services'] },
  fields: FieldTable,
  find: (marker: string) => { readonly uuid: string },
): Paging {
  const { limit, marker, sort_key: sortKey = 'id', sort_dir: direction = 'asc' } = request.query;
  const maximum = request.services.config.api.max_limit;
  if (limit !== undefined && limit < 1)
    throw fault('InvalidParameter', { name: 'limit', reason: 'Limit must be positive' });
  if (direction !== 'asc' && direction !== 'desc') {
    throw fault('InvalidParameter', { name: 'sort_dir', reason: `${direction} is not one of asc, desc` });
  }
  refuseUnsortable(sortKey, fields, request.minor);
  const last = marker === undefined ? undefined : find(marker);
  return {
    limit: Math.min(limit ?? maximum, maximum),
    sortKey,
    descending: direction === 'desc',
    ...(last !== undefined && { after: { uuid: last.uuid, value: sortValue(last, sortKey) } }),
  };
}

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

/** `next` when the page is full: the request itself with the marker moved on. */
export function nextLink(
  request: Pick<ApiRequest, 'baseUrl' | 'path' | 'query'>,
  paging: Paging,
  items: readonly { readonly uuid: string }[],
): { readonly next?: string } {
  const last = items.at(-1);
  if (last === undefined || items.length < paging.limit) return {};
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query)) {
    query.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  query.set('limit', String(paging.limit));
  query.set('marker', last.uuid);
  return { next: `${request.baseUrl}${request.path}?${query.toString().replaceAll('%2C', ',')}` };
}
