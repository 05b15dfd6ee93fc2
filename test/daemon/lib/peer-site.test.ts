import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { configCommand } from '../../../daemon/cli/host/config-command.ts';
import { giveWayToPeers } from '../../../daemon/conductor/loops/watch-peers.ts';
import { askPeer, siteOf } from '../../../daemon/lib/peer-site.ts';
import { fakeClock } from '../../fakes/clock.ts';
import { runCommand } from '../../fakes/clients/run-command.ts';
import { KEY, newHost, peerHeaders } from '../../fakes/daemon/site-host.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { httpServer } from '../../fakes/services/http-server.ts';

/** A daemon that has run before, and what it would have to hear to give way to a newer generation. */
async function ranBefore(t: TestContext, peerPort: number, key: string | null) {
  const host = newHost(t, await freeTcpPort(), `http://127.0.0.1:${peerPort}`, key);
  const daemon = await host.start();
  const site = daemon.services.db.quarantine.site();
  assert.ok(site);
  await daemon.stop();
  return { host, newer: { uuid: site.uuid, generation: site.generation + 5, holder: 'ffffffffffffffff' } };
}

test('gives way to no stranger who answers at the URL of a peer, whatever the answer, at the start and later', async (t) => {
  const answers: string[] = [];
  let asked: Record<string, string> = {};
  const { port } = await httpServer(t, ({ headers }, response) => {
    asked = peerHeaders(headers);
    response.end(answers[0] ?? '');
  });
  const { host, newer } = await ranBefore(t, port, KEY);
  const proof = asked['x-ironic-edge-proof'] ?? '';
  assert.match(proof, /^[0-9a-f]{64}$/);
  for (const answer of [
    newer,
    { ...newer, proof },
    { ...newer, proof: '' },
    { ...newer, proof: 7 },
    null,
    [],
  ]) {
    answers[0] = JSON.stringify(answer);
    const clock = fakeClock();
    const daemon = await host.start(clock);
    let isReplaced = false;
    void daemon.replaced.then(() => (isReplaced = true));
    await clock.advance(31_000);
    assert.equal(isReplaced, false, answers[0]);
    await daemon.stop();
  }
});

test('does not take its own answer, which a stranger leads to it, for that of another host', async (t) => {
  const stopping = newHost(t, await freeTcpPort(), 'http://127.0.0.1:9');
  const first = await stopping.start();
  let own: string | undefined;
  const { port } = await httpServer(t, async ({ headers }, response) => {
    const answer = await fetch(`${stopping.url}/site`, { headers: peerHeaders(headers) });
    own = await answer.text();
    response.end(own);
  });
  const site = first.services.db.quarantine.site();
  assert.ok(site);
  const key = KEY;
  const answer = await askPeer(`http://127.0.0.1:${port}`, key, fakeClock());
  assert.deepEqual(answer, { kind: 'serves', site: siteOf(site) });
  await assert.doesNotReject(
    giveWayToPeers({
      ...first.services,
      config: {
        ...first.services.config,
        standby: { ...first.services.config.standby, peers: [`http://127.0.0.1:${port}`] },
      },
    }),
  );
  assert.ok(own?.includes(site.uuid));
});

test('tells a stranger nothing at /site, nor anybody who repeats an earlier question with another nonce', async (t) => {
  const host = newHost(t, await freeTcpPort(), 'http://127.0.0.1:9');
  const daemon = await host.start();
  const { uuid } = daemon.services.db.quarantine.site() ?? { uuid: '' };
  const nonce = 'a'.repeat(64);
  for (const headers of [
    {},
    { 'x-ironic-edge-nonce': nonce },
    { 'x-ironic-edge-nonce': nonce, 'x-ironic-edge-proof': 'b'.repeat(64) },
    { 'x-ironic-edge-nonce': '', 'x-ironic-edge-proof': '' },
  ]) {
    const answer = await fetch(`${host.url}/site`, { headers });
    assert.equal(answer.status, 403);
    const said = await answer.text();
    assert.ok(!said.includes(uuid) && !/generation|[0-9a-f]{16}/.test(said), said);
  }
});

test('believes no peer without a key, and says so when the configuration is read', async (t) => {
  const answers: string[] = [];
  const { port } = await httpServer(t, (_, response) => void response.end(answers[0] ?? ''));
  const { host, newer } = await ranBefore(t, port, null);
  answers[0] = JSON.stringify(newer);
  await host.start();
  assert.equal((await fetch(`${host.url}/site`)).status, 403);
  const { errors: err } = await runCommand((context) =>
    configCommand(['check', '--config-file', join(host.database, '../ironic.conf')], context),
  );
  assert.match(err, /\[standby\] peers is set without key_file, so no peer is asked or believed/);
});

test('does not start with a key that is too short or that every user can read', async (t) => {
  await assert.rejects(
    newHost(t, await freeTcpPort(), 'http://127.0.0.1:9', 'short').start(),
    /site\.key \(\[standby\] key_file\) has 5 characters, expected at least 32/,
  );
  const host = newHost(t, await freeTcpPort(), 'http://127.0.0.1:9');
  chmodSync(join(host.database, '../site.key'), 0o644);
  await assert.rejects(host.start(), /\[standby\] key_file cannot be used: .*open to every user/);
});
