// Calls the API of a daemon that listens, as an operator's script does.
import assert from 'node:assert/strict';
import type { Daemon } from '../../../daemon/main.ts';

/** `where` follows `/v1/`. Fails the test when the answer is an error. */
export async function callApi(
  { url }: Pick<Daemon, 'url'>,
  method: string,
  where: string,
  body?: object,
): Promise<Record<string, string>> {
  const reply = await fetch(`${url}/v1/${where}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-openstack-ironic-api-version': '1.90' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  assert.ok(reply.ok, `${method} ${where}: ${reply.status} ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as Record<string, string>;
}
