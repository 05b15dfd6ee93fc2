// Conditional requests (RFC 9110, 13): whether a client's copy is still good.
import type { IncomingHttpHeaders } from 'node:http';

/** What identifies one state of the content. */
export interface ContentVersion {
  /** Strong, with its quotes. */
  readonly etag: string;
  /** Milliseconds since the epoch, rounded down to a whole second; absent for content that is not a file. */
  readonly modified?: number;
}

/** The status that answers the request without the content; undefined when the content is to be sent. */
export function conditionalStatus(
  headers: IncomingHttpHeaders,
  version: ContentVersion,
): 304 | 412 | undefined {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match === undefined ? isModifiedAfter(headers['if-unmodified-since'], version) : !names(match, version))
    return 412;
  if (noneMatch !== undefined) return names(withoutWeakness(noneMatch), version) ? 304 : undefined;
  return isModifiedAfter(headers['if-modified-since'], version) === false ? 304 : undefined;
}

/** Whether to honour a Range header. Returns true if the If-Range header, `header`, is missing or names this version. */
export function rangeCounts(header: string | undefined, { etag, modified }: ContentVersion): boolean {
  if (header === undefined) return true;
  if (header.startsWith('"') || header.startsWith('W/')) return header === etag;
  return modified !== undefined && Date.parse(header) === modified;
}

const names = (list: string, { etag }: ContentVersion): boolean =>
  list.split(',').some((each) => each.trim() === '*' || each.trim() === etag);

const withoutWeakness = (list: string): string => list.replaceAll('W/"', '"');

/** Whether the content was modified after the date in the header; undefined when either date is missing or invalid. */
function isModifiedAfter(header: string | undefined, { modified }: ContentVersion): boolean | undefined {
  const date = Date.parse(header ?? '');
  return modified === undefined || Number.isNaN(date) ? undefined : modified > date;
}
