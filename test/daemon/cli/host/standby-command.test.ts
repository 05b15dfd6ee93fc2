// Two hosts of one site: the standby takes over with a backup, and the first host comes back.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { quarantineCommand } from '../../../../daemon/cli/nodes/quarantine-command.ts';
import { backUp } from '../../../../daemon/db/copies/back-up.ts';
import { createDatabase } from '../../../../daemon/db/database.ts';
import { RecordsReplaced } from '../../../../daemon/lib/peer-site.ts';
import type { Daemon } from '../../../../daemon/main.ts';
import { initialNode, type Node } from '../../../../daemon/model/records/node.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { startFakeRedfish } from '#plugin-api/fake-redfish';
import { freeTcpPort } from '../../../../daemon/simulator/free-port.ts';
import { httpServer } from '../../../fakes/services/http-server.ts';
import { type Host, newHost, peerHeaders } from '../../../fakes/daemon/site-host.ts';
import { enrolNode } from '../../../fakes/daemon/listening-daemon.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';

const ROOT = join(import.meta.dirname, '../../../..');

/** A site of two hosts that know each other; the first has a node and has sent a backup to the second. */
async function newSite(t: TestContext, fill: (first: Daemon) => Promise<unknown> = async () => {}) {
  const [one, two] = [await freeTcpPort(), await freeTcpPort()];
  const first = newHost(t, one, `http://127.0.0.1:${two}`);
  const standby = newHost(t, two, `http://127.0.0.1:${one}`);
  const daemon = await first.start();
  await enrolNode(first.url, { name: 'rack1-01', driver: 'fake-hardware' });
  await fill(daemon);
  const backups = join(standby.database, '../backups');
  mkdirSync(backups);
  const { file } = backUp(first.database, backups, { keep: 3, time: new Date() });
  return { first, standby, daemon, backups, file };
}

const WORD = '--old-host-is-off';

describe('a standby', () => {
  it('takes over with a backup, and the daemon of the first host then refuses to start', async (t) => {
    const { first, standby, daemon } = await newSite(t);
    await daemon.stop();
    const promoted = await standby.promote(WORD);
    assert.match(promoted.out, /as generation 2; nodes in quarantine: 1/);
    await standby.start();
    await assert.rejects(first.start(), (error) => {
      assert.ok(error instanceof RecordsReplaced);
      assert.match(error.message, new RegExp(`^${standby.url} serves generation 2 .* generation 1\\.`));
      return true;
    });
  });

  it('stays the only daemon: that of the first host exits with a status after which systemd does not restart it', async (t) => {
    const { first, standby, daemon } = await newSite(t);
    await daemon.stop();
    await standby.promote(WORD);
    await standby.start();
    const [status, said] = await first.serve();
    assert.match(said, /^ironic-edge: .* serves generation 2 /m);
    const unit = readFileSync(join(ROOT, 'systemd/ironic-edge.service'), 'utf8');
    assert.match(unit, new RegExp(`^RestartPreventExitStatus=${status}$`, 'm'));
  });

  it('makes the daemon of a first host that was only cut off stop within half a minute', async (t) => {
    const { first, standby, daemon } = await newSite(t);
    await daemon.stop();
    const clock = fakeClock();
    const cutOff = await first.start(clock);
    const quiet = newHost(t, Number(new URL(standby.url).port), '');
    const { out } = await quiet.promote(WORD, '--from', join(standby.database, '../backups'));
    assert.match(out, /generation 2/);
    await quiet.start();
    await clock.advance(30_000);
    const { message } = await cutOff.replaced;
    assert.match(message, /serves generation 2 .* generation 1\./);
    assert.match(String(cutOff.services.stopping.reason), /generation 2/, 'running work is aborted');
  });

  it('does not stay up beside the first host: if both were promoted, one daemon stops once they reach each other', async (t) => {
    const { first, standby, daemon, backups } = await newSite(t);
    await daemon.stop();
    let reachable = false;
    const seen = async ({ url }: Host) => {
      const { port } = await httpServer(t, async ({ headers }, response) => {
        const asked = { headers: peerHeaders(headers) };
        const answer = reachable ? await fetch(`${url}/site`, asked).catch(() => undefined) : undefined;
        if (answer === undefined) response.destroy();
        else response.end(await answer.text());
      });
      return `http://127.0.0.1:${port}`;
    };
    const hosts = [
      newHost(t, Number(new URL(first.url).port), await seen(standby)),
      newHost(t, Number(new URL(standby.url).port), await seen(first)),
    ];
    for (const host of hosts)
      assert.match((await host.promote(WORD, '--from', backups)).out, /as generation 2;/);
    const clock = fakeClock();
    const daemons = [];
    for (const host of hosts) daemons.push(await host.start(clock));
    const stopped: unknown[] = [];
    for (const { replaced, services } of daemons) void replaced.then(() => stopped.push(services.host));
    await clock.advance(30_000);
    assert.equal(stopped.length, 0);
    reachable = true;
    await clock.advance(30_000);
    const { message } = await Promise.race(daemons.map(({ replaced }) => replaced));
    assert.match(message, /serves generation 2 .* generation 2\./);
    await clock.advance(30_000);
    assert.equal(stopped.length, 1);
  });

  it('does not take over while the other daemon serves, without --old-host-is-off, or without a backup', async (t) => {
    const { first, standby, backups, daemon } = await newSite(t);
    await assert.rejects(standby.promote(), /Make sure that the other host is off/);
    await assert.rejects(standby.promote(WORD), new RegExp(`${first.url} still serves generation 1`));
    await daemon.stop();
    rmSync(backups, { recursive: true });
    mkdirSync(backups);
    await assert.rejects(standby.promote(WORD), /has no backup/);
    await assert.rejects(standby.promote(WORD, '--from', '/nowhere.sqlite'), /no such file/);
  });

  it('refuses a damaged backup and keeps its own database', async (t) => {
    const { standby, daemon, file } = await newSite(t);
    await daemon.stop();
    truncateSync(file, 40_960);
    const own = createDatabase(standby.database);
    own.nodes.insert(initialNode({ uuid: '00000000-0000-4000-8000-000000000099', driver: 'fake-hardware' }));
    own.close();
    await assert.rejects(standby.promote(WORD), /cannot be restored: .*Try an older backup/s);
    const after = createDatabase(standby.database);
    assert.equal(after.nodes.where({ sql: 'TRUE', values: [] }).length, 1);
    after.close();
  });

  it('releases the node whose machine is confirmed by its BMC, and says why each other node stays in quarantine', async (t) => {
    const bmc = await startFakeRedfish();
    t.after(() => bmc.stop());
    const driver_info = {
      redfish_address: bmc.address,
      redfish_username: 'admin',
      redfish_password: 'secret',
    };
    const { standby, daemon } = await newSite(t, async ({ url, services: { db } }) => {
      const enrol = async (name: string, provision_state: Node['provision_state'], address: string) => {
        const node_uuid = await enrolNode(url, { name, driver: 'redfish', driver_info });
        db.nodes.update(node_uuid, { provision_state });
        await fetch(`${url}/v1/ports`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ node_uuid, address }),
        });
      };
      await enrol('same', 'active', bmc.machine.mac(1));
      await enrol('other', 'active', '52:54:00:99:99:99');
      await enrol('idle', 'available', '52:54:00:99:99:98');
    });
    await daemon.stop();
    await standby.promote(WORD);
    await standby.start();
    const { code, out } = await runCommand((context) => quarantineCommand(['release-matching'], context), {
      OS_ENDPOINT: standby.url,
    });
    assert.equal(code, 1);
    for (const line of [
      /^same is released: its BMC reports the network card/m,
      /^other stays: .*those on record are 52:54:00:99:99:99/m,
      /^idle stays: it is in state available/m,
      /^rack1-01 stays: .*cannot tell which machine/m,
      /^1 of 4 nodes are released$/m,
    ])
      assert.match(out, line);
    const written = bmc.bmc.forget().filter((each) => !each.startsWith('GET') && !each.includes('Sessions'));
    assert.deepEqual(written, []);
  });
});

describe('a daemon with peers', () => {
  it('starts although its peers are a daemon of another site, a closed port and a server that is no daemon', async (t) => {
    const stranger = await httpServer(t, (_, response) => void response.end('hello'));
    const other = await newHost(t, await freeTcpPort(), '').start();
    const peers = [other.url, `http://127.0.0.1:${await freeTcpPort()}`, `http://127.0.0.1:${stranger.port}`];
    const daemon = await newHost(t, await freeTcpPort(), peers.join(',')).start();
    assert.match(daemon.url, /^http/);
  });
});
