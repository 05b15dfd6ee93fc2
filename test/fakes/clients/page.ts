// Gets pages from a daemon in this process, and submits forms to it, with the headers of a browser.
import type { InProcessDaemon } from '../daemon/in-process-daemon.ts';

export const ORIGIN = 'http://ironic.test';
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

export async function get(
  daemon: InProcessDaemon,
  path_: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const response = await daemon.app.fetch(
    new Request(`${ORIGIN}${path_}`, { headers: { ...BROWSER, ...headers } }),
  );
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export async function submit(
  daemon: InProcessDaemon,
  place: string,
  fields: readonly (readonly [string, string])[],
  headers: Readonly<Record<string, string>> = { origin: ORIGIN },
) {
  const body = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString();
  const sent = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(body.length),
    ...headers,
  };
  const response = await daemon.app.fetch(
    new Request(`${ORIGIN}${place}`, { method: 'POST', body, headers: { ...BROWSER, ...sent } }),
  );
  return {
    status: response.status,
    location: response.headers.get('location') ?? '',
    text: await response.text(),
  };
}
