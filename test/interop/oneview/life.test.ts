// The daemon as a process and the real client with a simulated appliance, whose machines boot from the daemon.
// All of them use the system's clock.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../../daemon/lib/clock.ts';
import { SimulatedAppliance } from '../../../daemon/simulator/oneview/appliance.ts';
import { plugInBlades } from '../../../daemon/simulator/oneview/machines.ts';
import { serverUri } from '../../../daemon/simulator/oneview/rack.ts';
import { baremetalCommand } from '../../fakes/clients/baremetal-client.ts';
import { type ApiNode, DaemonProcess } from '../../fakes/daemon/daemon-process.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import type { Ending } from '../../fakes/daemon/in-process-daemon.ts';
import { IMAGE, oneviewOptions, ramdiskFiles } from '../../fakes/machines/oneview-site.ts';
import { skipWithout } from '../../setup/packages.ts';

const NODE = 'blade-001';

type Site = Awaited<ReturnType<typeof start>>;

async function start(t: Ending, more: Readonly<Record<string, string>> = {}) {
  const appliance = await SimulatedAppliance.start({ clock: systemClock, applySeconds: 0.2 });
  t.after(async () => appliance.stop());
  const [api, boot] = [await freeTcpPort(), await freeTcpPort()];
  const environment = {
    ...oneviewOptions(appliance.url),
    ...ramdiskFiles(t),
    // the machines keep talking to the same addresses after a restart
    IRONIC_API__PORT: String(api),
    IRONIC_BOOT_HTTP__PORT: String(boot),
    IRONIC_AGENT__REQUIRE_TLS: 'false',
    ...more,
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
  'the baremetal client inspects, cleans, deploys and undeploys a OneView server that has a profile only while deployed',
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

interface Flow {
  readonly name: string;
  readonly begin: string;
  readonly end: string;
  /** The verbs that lead the node to the state in which the verb `begin` is sent. */
  readonly before: readonly string[];
  /** By provision state: the verb with which an operator goes on after a crash. */
  readonly again: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly kills: readonly Kill[];
}

const TASK = /^\/rest\/tasks\//;
const SERVER = /^\/rest\/server-hardware\/[\w-]+$/;

const reading: Kill = { when: 'the daemon reads the server', method: 'GET', path: SERVER };
/** Kills the daemon when it reads the server again: the first reading belongs to the API request, which validates the node. */
const readingAgain: Kill = { ...reading, time: 2 };
const applying: readonly Kill[] = [
  { when: 'the daemon reads the template', method: 'GET', path: /new-profile$/ },
  { when: 'the daemon asks for the profile', method: 'POST', path: /^\/rest\/server-profiles$/ },
  { when: 'the profile is being applied', method: 'GET', path: TASK },
  { when: 'the profile has been applied', method: 'GET', path: TASK, time: 2 },
  { when: 'the daemon asks for access to the iLO', method: 'GET', path: /remoteConsoleUrl$/ },
  { when: 'the daemon switches the server on', method: 'PUT', path: /powerState$/ },
];
const switchingOff: Kill = {
  when: 'the daemon switches the server off',
  method: 'PUT',
  path: /powerState$/,
  time: 2,
};
const removing: Kill = {
  when: 'the daemon removes the profile',
  method: 'DELETE',
  path: /^\/rest\/server-profiles\//,
};

const uncleaned = { IRONIC_CONDUCTOR__AUTOMATED_CLEAN: 'false' };

/** At each kill the appliance has carried out the request; its answer does not reach the daemon. */
const flows: readonly Flow[] = [
  {
    name: 'a cleaning',
    begin: 'provide',
    end: 'available',
    before: ['manage'],
    again: { 'clean failed': 'manage', manageable: 'provide' },
    kills: [
      reading,
      ...applying,
      switchingOff,
      removing,
      { when: 'the profile is being removed', method: 'GET', path: TASK, time: 3 },
    ],
  },
  {
    name: 'an inspection',
    begin: 'inspect',
    end: 'manageable',
    before: ['manage'],
    again: { 'inspect failed': 'inspect' },
    kills: [readingAgain, ...applying, switchingOff, removing],
  },
  {
    name: 'a deployment',
    begin: 'active',
    end: 'active',
    before: ['manage', 'provide'],
    again: { 'deploy failed': 'active' },
    environment: uncleaned,
    // a deployment is validated twice before it begins
    kills: [{ ...reading, time: 3 }, ...applying],
  },
  {
    name: 'an undeployment',
    begin: 'deleted',
    end: 'available',
    before: ['manage', 'provide', 'active'],
    again: { error: 'deleted' },
    environment: uncleaned,
    kills: [
      readingAgain,
      { when: 'the daemon switches the server off', method: 'PUT', path: /powerState$/ },
      removing,
      { when: 'the profile is being removed', method: 'GET', path: TASK, time: 2 },
    ],
  },
];

const settled: ReadonlySet<string> = new Set([
  'manageable',
  'available',
  'active',
  'error',
  'clean failed',
  'inspect failed',
  'deploy failed',
]);

function operatorOf(daemon: DaemonProcess) {
  const rests = () =>
    daemon.nodeWhen(
      NODE,
      ({ provision_state: state, reservation }) => settled.has(state) && reservation === null,
    );
  const provision = async (target: string) => {
    const { status, body } = await daemon.request('PUT', `/v1/nodes/${NODE}/states/provision`, { target });
    assert.equal(status, 202, JSON.stringify(body));
  };
  return { rests, provision };
}

/** Resolves when the daemon is dead. */
function killed({ appliance, daemon }: Site, { method, path, time = 1 }: Kill): Promise<void> {
  let left = time;
  return new Promise((resolve) => {
    appliance.onRequest((entry) => {
      if (entry.method !== method || !path.test(entry.path)) return;
      left -= 1;
      if (left === 0) resolve(daemon.kill());
    });
  });
}

/** Repeats what a crash interrupted, as an operator would. */
async function recovered(daemon: DaemonProcess, { again, end }: Flow): Promise<ApiNode> {
  const { rests, provision } = operatorOf(daemon);
  let node = await rests();
  if (node.provision_state !== end) assert.match(node.last_error ?? '', /the service was restarted/);
  for (let repeats = 0; node.provision_state !== end && repeats < 3; repeats += 1) {
    const target = again[node.provision_state];
    assert.ok(target !== undefined, node.provision_state);
    await provision(target);
    node = await rests();
  }
  assert.deepEqual([node.provision_state, node.maintenance, node.last_error], [end, false, null]);
  return node;
}

for (const flow of flows)
  describe(`kill -9 of the daemon during ${flow.name}`, { concurrency: 3 }, () => {
    for (const kill of flow.kills)
      test(`when ${kill.when}: the operator repeats what failed, and the server ends off and without a profile`, async (t) => {
        const site = await start(t, flow.environment);
        const { appliance, daemon, environment, server } = site;
        const { rests, provision } = operatorOf(daemon);
        const instance_info = Object.entries(IMAGE).map(([name, value]) => ({
          op: 'add',
          path: `/instance_info/${name}`,
          value,
        }));
        await daemon.request('PATCH', `/v1/nodes/${NODE}`, instance_info);
        for (const target of flow.before) {
          await provision(target);
          await rests();
        }
        const dead = killed(site, kill);
        await provision(flow.begin);
        await dead;
        appliance.onRequest(() => undefined);
        await daemon.restart(environment);
        let node = await recovered(daemon, flow);
        if (flow.end === 'active') {
          assert.equal(node.driver_info['applied_server_profile_uri'], server.profile);
          assert.equal(appliance.state.profiles.size, 1);
          await provision('deleted');
          node = await rests();
        }
        assert.deepEqual(
          [server.profile, appliance.state.profiles.size, server.powerState],
          [null, 0, 'Off'],
        );
        assert.equal(node.driver_info['applied_server_profile_uri'], undefined);
        const lines = daemon.log.map((line) => JSON.stringify(line)).join('\n');
        assert.doesNotMatch(lines, /in use by OneView/);
      });
  });
