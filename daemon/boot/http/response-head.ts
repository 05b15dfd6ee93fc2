// Decides how a request for served content is answered: with all of it, with a part, or without it.
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { isSecretName } from '../secret-names.ts';
import { type ByteRange, requestedRange } from './byte-range.ts';
import { conditionalStatus, rangeCounts, type ContentVersion } from './conditions.ts';
import { mediaTypeOfFile } from './media-type.ts';

export interface ResponseHead {
  readonly status: 200 | 206 | 304 | 412 | 416;
  readonly headers: OutgoingHttpHeaders;
  /** The part of the content to send as the body. */
  readonly part: ByteRange;
}

interface Asked {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly name: string;
}

const NOTHING: ByteRange = { start: 0, end: 0 };

export function responseHead(
  asked: Asked,
  content: ContentVersion & { readonly size: number },
): ResponseHead {
  const { method, headers, name } = asked;
  const common = commonHeaders(name, content);
  const status = conditionalStatus(headers, content);
  if (status !== undefined)
    return { status, headers: { ...common, ...(status === 412 && { 'Content-Length': 0 }) }, part: NOTHING };
  const range = rangeOf(asked, content);
  if (range === 'unsatisfiable') {
    const contentRange = { 'Content-Length': 0, 'Content-Range': `bytes */${content.size}` };
    return { status: 416, headers: { ...common, ...contentRange }, part: NOTHING };
  }
  const part = range ?? { start: 0, end: content.size };
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      ...common,
      'Content-Type': mediaTypeOfFile(name),
      // GRUB recognises this header in this spelling only
      'Content-Length': part.end - part.start,
      ...(range && { 'Content-Range': `bytes ${range.start}-${range.end - 1}/${content.size}` }),
    },
    part: method === 'HEAD' ? NOTHING : part,
  };
}

/** Only GET has ranges. */
function rangeOf({ method, headers }: Asked, content: ContentVersion & { readonly size: number }) {
  if (method !== 'GET' || !rangeCounts(headers['if-range']?.toString(), content)) return undefined;
  return requestedRange(headers.range, content.size);
}

/** The headers of every answer about served content. */
const commonHeaders = (name: string, { etag, modified }: ContentVersion): OutgoingHttpHeaders => ({
  'Accept-Ranges': 'bytes',
  ETag: etag,
  ...(modified !== undefined && { 'Last-Modified': new Date(modified).toUTCString() }),
  ...(isSecretName(name) && { 'Cache-Control': 'no-store' }),
});
