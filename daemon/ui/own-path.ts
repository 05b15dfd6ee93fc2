// Paths of the pages to which a browser may be sent after its person has signed in.

export const SIGN_IN = '/ui/login';
const HOME = '/ui/';
/** No server. */
const BASE = 'http://page.invalid';
const LONGEST = 2000;

/** Returns the path and query if `text` is the path of a view; the path of the first view for anything else. */
export function ownPath(text: string | null): string {
  const url = text === null || text.length > LONGEST ? null : URL.parse(text, BASE);
  // `//host` and `/\host` name another server, and the parsed URL says so; dots in the path are resolved
  const isOwn = url?.origin === BASE && text?.startsWith('/ui') === true;
  return isOwn && isView(url.pathname) ? `${url.pathname}${url.search}` : HOME;
}

const isView = (path: string): boolean =>
  path === '/ui' || (path.startsWith(HOME) && !path.startsWith(SIGN_IN) && path !== '/ui/logout');

/** Returns the path of the page where people sign in. They are then sent to the page that they want, or whose form they sent. */
export function signInPath({ method, headers }: Pick<Request, 'method' | 'headers'>, { href }: URL): string {
  const wanted = URL.parse(method === 'POST' ? (headers.get('referer') ?? '') : href);
  const next = wanted === null ? HOME : ownPath(`${wanted.pathname}${wanted.search}`);
  return next === HOME ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(next)}`;
}
