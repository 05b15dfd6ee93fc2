// The daemon as a process, the real client, and a simulated appliance whose machines boot from the daemon, in real time.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../daemon/lib/clock.ts';
import { SimulatedAppliance } from '../../daemon/simulator/oneview/appliance.ts';
import { plugInBlades } from '../../daemon/simulator/oneview/machines.ts';
import { serverUri } from '../../daemon/simulator/oneview/rack.ts';
import { baremetalCommand } from '../fakes/baremetal-client.ts';
import { DaemonProcess } from '../fakes/daemon-process.ts';
import { freePort } from '../fakes/free-port.ts';
import type { Ending } from '../fakes/in-process-daemon.ts';
import { IMAGE, oneviewOptions, ramdiskFiles } from '../fakes/oneview-site.ts';
import { skipWithout } from '../setup/packages.ts';

const NODE = 'blade-001';

async function start(t: Ending) {
  const appliance = await SimulatedAppliance.start({ clock: systemClock, applySeconds: 0.2 });
  t.after(async () => appliance.stop());
  const [api, boot] = [await freePort(), await freePort()];
  const environment = {
    ...oneviewOptions(appliance.url),
    ...ramdiskFiles(t),
    // the machines keep talking to the same addresses after a restart
    IRONIC_API__PORT: String(api),
    IRONIC_BOOT_HTTP__PORT: String(boot),
    IRONIC_AGENT__REQUIRE_TLS: 'false',
  };
  const daemon = await DaemonProcess.start(environment);
  t.after(() => daemon[Symbol.asyncDispose]());
  const [machine] = await plugInBlades({
    appliance,
    url: daemon.url,
    clock: systemClock,
    size: 1,
    bootUrl: `http://127.0.0.1:${boot}`,
    tls: false,
    bootSeconds: 3,
    stepSeconds: 0.1,
    random: () => 0.1,
    tell: () => undefined,
  });
  t.after(async () => machine?.machine.unplug());
  const server = appliance.state.servers.get(serverUri(1));
  assert.ok(server && machine);
  return { appliance, daemon, environment, server, machine: machine.machine };
}

test(
  'the baremetal client takes a server of OneView through a whole life, and it is free in between',
  { skip: skipWithout('python3-ironicclient') },
  async (t) => {
    const { daemon, server, appliance, machine } = await start(t);
    const { done, refused, json } = baremetalCommand(daemon.url);
    await done(`node manage ${NODE} --wait 200`);
    await done(`node inspect ${NODE} --wait 200`);
    assert.equal(server.profile, null);
    await done(`node provide ${NODE} --wait 200`);
    assert.equal(server.profile, null);
    for (const [name, value] of Object.entries(IMAGE))
      await done(`node set ${NODE} --instance-info ${name}=${value}`);
    await done(`node deploy ${NODE} --wait 200`);
    const { driver_info } = (await json(`node show ${NODE} --fields driver_info`)) as {
      driver_info: Record<string, unknown>;
    };
    assert.equal(driver_info['applied_server_profile_uri'], server.profile);
    assert.ok(machine.disk);
    await done(`node reboot ${NODE}`);
    await done(`node undeploy ${NODE} --wait 200`);
    assert.deepEqual([server.profile, appliance.state.profiles.size], [null, 0]);
    appliance.claim(server);
    for (const [name, value] of Object.entries(IMAGE))
      await done(`node set ${NODE} --instance-info ${name}=${value}`);
    assert.match(await refused(`node deploy ${NODE}`), /is in use by OneView/);
  },
);

interface Kill {
  readonly when: string;
  readonly method: string;
  readonly path: RegExp;
  readonly time?: number;
}

const TASK = /^\/rest\/tasks\//;

/** The appliance has carried out the request; its answer does not reach the daemon. */
const kills: readonly Kill[] = [
  { when: 'it reads the server', method: 'GET', path: /^\/rest\/server-hardware\/[\w-]+$/ },
  { when: 'it reads the template', method: 'GET', path: /new-profile$/ },
  { when: 'it asks for the profile', method: 'POST', path: /^\/rest\/server-profiles$/ },
  { when: 'the profile is being applied', method: 'GET', path: TASK },
  { when: 'the profile has been applied', method: 'GET', path: TASK, time: 2 },
  { when: 'it asks for access to the iLO', method: 'GET', path: /remoteConsoleUrl$/ },
  { when: 'it switches the server on', method: 'PUT', path: /powerState$/ },
  { when: 'it switches the server off', method: 'PUT', path: /powerState$/, time: 2 },
  { when: 'it removes the profile', method: 'DELETE', path: /^\/rest\/server-profiles\// },
  { when: 'the profile is being removed', method: 'GET', path: TASK, time: 3 },
];

const settled: ReadonlySet<string> = new Set(['manageable', 'available', 'clean failed']);

describe('kill -9 of the daemon', { concurrency: 3 }, () => {
  for (const { when, method, path, time = 1 } of kills)
    test(`when ${when} for a cleaning leaves a server that the next cleaning frees`, async (t) => {
      const { appliance, daemon, environment, server } = await start(t);
      const provision = (target: string) =>
        daemon.request('PUT', `/v1/nodes/${NODE}/states/provision`, { target });
      const rests = () =>
        daemon.nodeWhen(
          NODE,
          ({ provision_state: state, reservation }) => settled.has(state) && reservation === null,
        );
      await provision('manage');
      await rests();
      let left = time;
      const killed = new Promise<void>((resolve) => {
        appliance.onRequest((entry) => {
          if (entry.method !== method || !path.test(entry.path)) return;
          left -= 1;
          if (left === 0) resolve(daemon.kill());
        });
      });
      await provision('provide');
      await killed;
      appliance.onRequest(() => undefined);
      await daemon.restart(environment);
      const interrupted = await rests();
      assert.ok(
        ['clean failed', 'available'].includes(interrupted.provision_state),
        interrupted.provision_state,
      );
      if (interrupted.provision_state === 'clean failed') {
        assert.match(interrupted.last_error ?? '', /the service was restarted/);
        await provision('manage');
        await rests();
        await provision('provide');
      }
      const after = await rests();
      assert.deepEqual(
        [after.provision_state, after.maintenance, after.last_error],
        ['available', false, null],
      );
      assert.deepEqual([server.profile, appliance.state.profiles.size, server.powerState], [null, 0, 'Off']);
      const { applied_server_profile_uri: applied } = after.driver_info;
      assert.equal(applied, undefined);
      const lines = daemon.log.map((line) => JSON.stringify(line)).join('\n');
      assert.doesNotMatch(lines, /in use by OneView/);
    });
});
