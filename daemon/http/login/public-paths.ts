// Which paths need no login.
import { withoutTrailingSlashes } from '../../lib/network/trailing-slashes.ts';
import { clientPath } from '../openapi.ts';
import type { Route } from '../route.ts';

const SUFFIX = /\.(?:json|xml)$/;
const PLAIN_NAME = /^[a-z0-9-]+$/;

/**
 * Returns a function that tells whether a path, as the client sent it, is the path of a public route, with or without the suffix
 * .json or .xml. A path that needs decoding or is spelt differently does not count as public: otherwise the router could read it as
 * another route.
 */
export function publicPaths(routes: readonly Route[]): (pathname: string) => boolean {
  const paths = routes.filter((route) => route.public === true).map(({ path }) => clientPath(path));
  const forms = [...new Set(paths)].map((path) => withoutTrailingSlashes(path));
  return (pathname) => {
    const asked = withoutTrailingSlashes(pathname);
    return forms.some((form) => isAt(form, SUFFIX.test(form) ? asked : asked.replace(SUFFIX, '')));
  };
}

function isAt(form: string, path: string): boolean {
  const parts = form.split('/');
  const asked = path.split('/', parts.length + 1);
  return (
    parts.length === asked.length &&
    parts.every((part, index) =>
      part.startsWith(':') ? PLAIN_NAME.test(asked[index] ?? '') : part === asked[index],
    )
  );
}
