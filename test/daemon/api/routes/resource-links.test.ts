// The links of /v1, over HTTP.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { expectReply } from '../../../fakes/clients/api-replies.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const session = await startInProcess({ after });

test('/v1 links to chassis, portgroups, volume, events and shards, each since its own API version', async () => {
  const since = { chassis: 1, portgroups: 23, volume: 32, events: 54, shards: 82 };
  for (const [name, minor] of Object.entries(since)) {
    const at = (version: number) =>
      expectReply<Record<string, readonly { href: string }[]>>(
        session.request('GET', '/v1', { version }),
        200,
      );
    const links = (await at(minor))[name] ?? [];
    assert.deepEqual(
      links.map(({ href }) => new URL(href).pathname),
      [`/v1/${name}/`, `/${name}/`],
    );
    if (minor > 1) assert.equal((await at(minor - 1))[name], undefined);
  }
});
