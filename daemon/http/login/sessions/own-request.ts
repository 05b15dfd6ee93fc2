// Whether a request comes from the daemon's own page, so that it may use the visitor's session. Browsers send the cookie of a session
// with some requests of other sites too.

/** Whether the origin is that of the daemon's page. */
type IsOwn = (origin: string) => boolean;

/**
 * Whether the daemon's own page sends the request. Browsers name the site of the sender; over plain HTTP to an address other than
 * loopback they do not, and then Origin decides or, in a request without it, Referer. No page can forge these headers.
 */
export function isOwnRequest({ headers }: Pick<Request, 'headers'>, isOwn: IsOwn): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin') ?? URL.parse(headers.get('referer') ?? '')?.origin;
  return origin !== undefined && isOwn(origin);
}

/** Whether the browser shows the answer as a page; a browser that says nothing about it is taken to do so. */
export const isNavigation = ({ headers }: Pick<Request, 'headers'>): boolean =>
  (headers.get('sec-fetch-mode') ?? 'navigate') === 'navigate';
