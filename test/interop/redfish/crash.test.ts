// kill -9 of the daemon at each request that changes something during BIOS, firmware and RAID steps of a Redfish machine.
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type FakeRedfish, startFakeRedfish } from '#plugin-api/fake-redfish';
import { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';

const NODE = 'redfish-1';
const HASTY = path.join(import.meta.dirname, '../../fakes/daemon/hasty-clock.ts');
const environment = {
  IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'redfish',
  IRONIC_REDFISH__FIRMWARE_UPDATE_REQUIRED_SUCCESSES: '1',
  NODE_OPTIONS: `--import=${pathToFileURL(HASTY).href}`,
};

interface Work {
  readonly name: string;
  readonly step: object;
  readonly isDone: (fake: FakeRedfish) => boolean;
  /** The only request, besides resets, with which the step changes something. */
  readonly write: string;
}

const volumes = {
  logical_disks: [{ size_gb: 100, raid_level: '1', volume_name: 'first' }],
};

const works: readonly Work[] = [
  {
    name: 'BIOS settings are changed',
    step: {
      interface: 'bios',
      step: 'apply_configuration',
      args: { settings: [{ name: 'ProcVirtualization', value: 'Enabled' }] },
    },
    isDone: ({ machine }) => machine.attributes['ProcVirtualization'] === 'Enabled',
    write: 'PATCH Settings',
  },
  {
    name: 'firmware is updated',
    step: {
      interface: 'firmware',
      step: 'update',
      args: {
        settings: [{ component: 'bios', url: 'http://192.0.2.1/bios.bin' }],
      },
    },
    isDone: ({ machine }) => machine.biosVersion === '9.9.9',
    write: 'POST UpdateService.SimpleUpdate',
  },
  {
    name: 'volumes are created',
    step: { interface: 'raid', step: 'create_configuration' },
    isDone: ({ machine }) => machine.volumes.size === 1,
    write: 'POST Volumes',
  },
];

type Site = Awaited<ReturnType<typeof start>>;

async function start(t: TestContext) {
  const fake = await startFakeRedfish({ differences: { volumeApplyTimes: ['OnReset'] } });
  t.after(() => fake.stop());
  fake.machine.power = 'On';
  const daemon = await DaemonProcess.start(environment);
  t.after(() => daemon[Symbol.asyncDispose]());
  const accepted = async (...request: Parameters<DaemonProcess['request']>) => {
    const { status, body } = await daemon.request(...request);
    assert.ok(status < 300, JSON.stringify(body));
  };
  const rests = () =>
    daemon.nodeWhen(
      NODE,
      ({ provision_state: state, reservation }) =>
        ['manageable', 'clean failed'].includes(state) && reservation === null,
    );
  await accepted('POST', '/v1/nodes', {
    name: NODE,
    driver: 'redfish',
    bios_interface: 'redfish',
    firmware_interface: 'redfish',
    raid_interface: 'redfish',
    driver_info: { redfish_address: fake.address, redfish_username: 'admin', redfish_password: 'secret' },
  });
  const manage = () => accepted('PUT', `/v1/nodes/${NODE}/states/provision`, { target: 'manage' });
  await manage();
  await rests();
  await accepted('PUT', `/v1/nodes/${NODE}/states/raid`, volumes);
  return {
    fake,
    daemon,
    rests,
    manage,
    clean: (step: object) =>
      accepted('PUT', `/v1/nodes/${NODE}/states/provision`, { target: 'clean', clean_steps: [step] }),
  };
}

interface Kill {
  readonly when: string;
  /** Which of the changing requests is meant; 1 is the first. */
  readonly change: number;
  /** Whether the BMC carries the request out before the daemon dies; its answer is lost in any case. */
  readonly isObeyed: boolean;
}

/** Resolves when the daemon is dead. */
function killed({ fake: { bmc }, daemon }: Site, { change, isObeyed }: Kill): Promise<void> {
  const answer = bmc.answer.bind(bmc);
  let left = change;
  return new Promise((resolve) => {
    bmc.answer = (request) => {
      if (request.method === 'GET' || request.path.includes('/Sessions')) return answer(request);
      left -= 1;
      if (left !== 0) return answer(request);
      if (isObeyed) answer(request);
      resolve(daemon.kill());
      return 'cut';
    };
  });
}

const sending: readonly Kill[] = [
  { when: 'before the BMC gets the request', change: 1, isObeyed: false },
  { when: 'when the BMC has obeyed the request', change: 1, isObeyed: true },
];
// no kill comes before the first reset: the restarted daemon waits ten minutes before it resets a machine that is still on
const rebooting: readonly Kill[] = [
  { when: 'when the machine is off', change: 2, isObeyed: true },
  { when: 'before the machine is switched on', change: 3, isObeyed: false },
  { when: 'when the machine is on again', change: 3, isObeyed: true },
];

for (const work of works)
  describe(`kill -9 of the daemon while ${work.name}`, { concurrency: 3 }, () => {
    for (const kill of sending)
      test(`${kill.when}: no change is sent again until an operator repeats the step`, async (t) => {
        const site = await start(t);
        await crashed(site, work, kill);
        const node = await site.rests();
        assert.equal(node.provision_state, 'clean failed');
        assert.match(node.last_error ?? '', /was interrupted.*the service was restarted/);
        assert.deepEqual(writesTo(site.fake), kill.isObeyed ? [work.write] : []);
        await site.manage();
        await site.rests();
        await site.clean(work.step);
        const { provision_state: state, last_error: error } = await site.rests();
        assert.deepEqual([state, error, work.isDone(site.fake)], ['manageable', null, true]);
      });
    for (const kill of rebooting)
      test(`${kill.when}: the restarted daemon completes the step, and the BMC obeys no request twice`, async (t) => {
        const site = await start(t);
        await crashed(site, work, kill);
        const { provision_state: state } = await site.rests();
        assert.deepEqual(
          [state, work.isDone(site.fake), site.fake.machine.power],
          ['manageable', true, 'On'],
        );
        assert.deepEqual(writesTo(site.fake), [work.write]);
        assert.deepEqual(site.fake.machine.resets, ['ForceOff', 'On']);
      });
  });

async function crashed(site: Site, { step }: Work, kill: Kill): Promise<void> {
  site.fake.bmc.forget();
  const dead = killed(site, kill);
  await site.clean(step);
  await dead;
  await site.daemon.restart(environment);
}

/** The requests that changed something, except resets. */
const writesTo = ({ bmc }: FakeRedfish): readonly string[] =>
  bmc.requests
    .filter(({ method, path: at }) => method !== 'GET' && !/Sessions|Reset$/.test(at))
    .map(({ method, path: at }) => `${method} ${at.slice(at.lastIndexOf('/') + 1)}`);
