// Whether a client is a browser that wants a page: its Accept header names text/html, and JSON later or not at all.
import { mediaType } from '../http/request/body.ts';

/** Only an explicit text/html counts: a client that accepts everything gets the version document. */
export const prefersHtml = (request: Pick<Request, 'method' | 'headers'>): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') && acceptsHtml(request);

export function acceptsHtml({ headers }: Pick<Request, 'headers'>): boolean {
  const types = (headers.get('accept') ?? '').split(',').map(mediaType);
  const html = types.indexOf('text/html');
  const json = types.indexOf('application/json');
  return html >= 0 && (json < 0 || html < json);
}
