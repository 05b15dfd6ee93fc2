// Kexec at the end of a deployment, with a scripted agent: what is loaded, when the instance counts as running, and what the node
// remembers.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  loadInstanceKernel,
  startInstanceKernel,
} from '../../../../daemon/conductor/ramdisk/instance-kernel.ts';
import { NodeTask } from '../../../../daemon/conductor/tasks/task.ts';
import type { StartedInstance } from '../../../../daemon/plugin-api/index.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { command, passing } from '../../../fakes/machines/agent-client.ts';
import { type Answering, answerJson, scriptedAgent } from '../../../fakes/machines/scripted-agent.ts';

const MAC = '52:54:00:00:00:21';
const OTHER_MAC = '52:54:00:00:00:22';
const SUBNET = '[dhcp_server]\nsubnet = 10.0.0.0/24 range=10.0.0.50-10.0.0.60\n';
const ASKED = '[deploy]\nkexec = true\n';
const TIMEOUT_SECONDS = 300;
const AFTER_FAREWELL_SECONDS = 3;

interface Scene {
  readonly ini?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly ports?: readonly string[];
  /** Why the agent does not load the kernel. */
  readonly unloadable?: string;
  /** What becomes of the ramdisk when it is told to start the kernel. */
  readonly start?: 'ends' | 'refuses' | 'is gone before';
  /** Whether the ramdisk has no such extension. */
  readonly isOther?: boolean;
}

/** The agent of a ramdisk: what it answers, and whether it answers. */
function agentOf({ unloadable, start = 'ends', isOther = false }: Scene): Answering {
  let hasBegun = false;
  const ends = {
    before: () => hasBegun && start === 'is gone before',
    after: () => hasBegun && start === 'ends',
  };
  let isGone = false;
  const answer: Answering = ({ method }, response) => {
    if (isOther) answerJson(response, { faultstring: 'Extension with id instance_kernel not found.' }, 404);
    else if (method === 'POST') answerJson(response, command({ id: hasBegun ? 'c2' : 'c1' }));
    else answerJson(response, endOf(hasBegun ? 'the loaded kernel cannot be started' : unloadable));
  };
  return (asked, response) => {
    hasBegun ||= JSON.stringify(asked.body ?? '').includes('instance_kernel.start');
    if (isGone || ends.before()) response.destroy();
    else answer(asked, response);
    isGone = ends.after();
  };
}

const endOf = (details: string | undefined) =>
  details === undefined
    ? command({ command_status: 'SUCCEEDED', command_result: { kernel: '/boot/vmlinuz-6.12.43' } })
    : command({
        command_status: 'FAILED',
        command_error: { type: 'CommandExecutionError', message: 'failed', details },
      });

async function scene(t: TestContext, given: Scene = {}) {
  const ini = given.ini ?? ASKED + SUBNET;
  const daemon = await startInProcess(t, {
    ini: `${ini}[agent]\nmax_command_attempts = 1\nrequire_tls = false\ncallback_networks = 127.0.0.0/8\n`,
  });
  const agent = await scriptedAgent(t, agentOf(given));
  const { uuid } = await daemon.createNode({ driver_info: {}, ...given.fields });
  for (const mac of given.ports ?? [MAC]) await daemon.createPort(uuid, mac);
  daemon.services.db.nodes.update(uuid, {
    driver_internal_info: {
      ...daemon.node(uuid).driver_internal_info,
      agent_url: agent.url,
      agent_secret_token: 't'.repeat(43),
    },
  });
  const newTask = () => new NodeTask({ services: daemon.services, caller: null }, daemon.node(uuid));
  const told = async () => {
    daemon.services.timeline.flush();
    const events = daemon.services.db.machineEvents.ofNode(uuid, { since: 0, limit: 100 });
    return events.filter(({ hop }) => hop === 'agent').map(({ text }) => text);
  };
  const during = async <T>(work: Promise<T>): Promise<T> => {
    await passing(work, () => daemon.clock.advance(250));
    return work;
  };
  return {
    daemon,
    agent,
    told,
    during,
    load: () => during(loadInstanceKernel(newTask())),
    begin: () => startInstanceKernel(newTask()),
    remembered: () => daemon.node(uuid).driver_internal_info,
    asks: (mac: string, failed?: true) =>
      daemon.services.timeline.record({
        hop: 'dhcp',
        mac,
        text: 'is offered 10.0.0.51 (os)',
        ...(failed && { failed }),
      }),
  };
}

/** Starts the kernel; `happens` is called when the ramdisk has ended. */
async function started(
  each: Awaited<ReturnType<typeof scene>>,
  happens: () => void = () => {},
): Promise<StartedInstance> {
  const { clock } = each.daemon;
  const due = clock.monotonic() + AFTER_FAREWELL_SECONDS * 1000;
  const cancel = clock.after(due - clock.monotonic(), happens);
  const result = await each.during(each.begin());
  cancel();
  return result;
}

test('an instance that asks for an address after kexec runs, and the node knows of no agent', async (t) => {
  const each = await scene(t);
  assert.equal(await each.load(), true);
  assert.equal(each.remembered().instance_kernel, '/boot/vmlinuz-6.12.43');
  const before = each.daemon.clock.monotonic();
  assert.equal(await started(each, () => each.asks(MAC)), 'runs');
  assert.ok(each.daemon.clock.monotonic() - before < TIMEOUT_SECONDS * 1000);
  const { instance_kernel: kernel, kexec_failure: failure, agent_url: url } = each.remembered();
  assert.deepEqual([kernel, failure, url], [undefined, undefined, undefined]);
  assert.equal((await each.told()).at(-1), 'runs its instance, started by kexec: /boot/vmlinuz-6.12.43');
});

test('an instance that asks for no address has failed, and the node remembers it until a good inspection', async (t) => {
  const each = await scene(t);
  await each.load();
  const other = () => {
    each.asks(OTHER_MAC);
    each.asks(MAC, true);
  };
  const before = each.daemon.clock.monotonic();
  assert.equal(await started(each, other), 'failed');
  assert.ok(each.daemon.clock.monotonic() - before >= TIMEOUT_SECONDS * 1000);
  const { instance_kernel: kernel, kexec_failure: failure = '' } = each.remembered();
  assert.equal(kernel, undefined);
  assert.match(failure, /^its instance asked for no address within 300 s/);
  assert.equal(await each.load(), false);
  assert.match(
    (await each.told()).at(-1) ?? '',
    /^boots its instance through the firmware.*did not work on this/,
  );
});

test('what the ramdisk itself asks before it ends does not count', async (t) => {
  const each = await scene(t);
  await each.load();
  each.daemon.clock.after(1000, () => each.asks(MAC));
  assert.equal(await started(each), 'failed');
});

test('a ramdisk that cannot start the kernel says so, and the machine is not waited for', async (t) => {
  const each = await scene(t, { start: 'refuses' });
  await each.load();
  const before = each.daemon.clock.monotonic();
  assert.equal(await started(each), 'failed');
  assert.ok(each.daemon.clock.monotonic() - before < TIMEOUT_SECONDS * 1000);
  assert.match(each.remembered().kexec_failure ?? '', /the loaded kernel cannot be started/);
});

test('an agent that is gone before it is told says nothing of the machine: kexec is tried again', async (t) => {
  const each = await scene(t, { start: 'is gone before' });
  await each.load();
  assert.equal(await started(each), 'failed');
  assert.equal(each.remembered().kexec_failure, undefined);
});

test('with kexec_timeout = 0 an instance counts as running when its ramdisk has ended', async (t) => {
  const each = await scene(t, { ini: `${ASKED}kexec_timeout = 0\n` });
  await each.load();
  assert.equal(await started(each), 'runs');
});

test('a kernel that is not loaded is not started, and the reason is told', async (t) => {
  const each = await scene(t, { unloadable: 'the instance boots a unified kernel image' });
  assert.equal(await each.load(), false);
  assert.match((await each.told()).at(-1) ?? '', /not by kexec: .*the instance boots a unified kernel image/);
  assert.equal(await each.begin(), 'not loaded');
  assert.equal(each.remembered().kexec_failure, undefined);
});

test('a ramdisk without the extension is named as the reason', async (t) => {
  const each = await scene(t, { isOther: true });
  assert.equal(await each.load(), false);
  assert.match((await each.told()).at(-1) ?? '', /its ramdisk cannot load kernels; build one that can/);
});

const drive = (...types: readonly string[]) => ({
  network_data: { networks: types.map((type) => ({ type, link: 'card' })) },
});

for (const [why, given] of [
  [/another DHCP server gives it its address/, { ini: ASKED }],
  [/another DHCP server/, { ini: `${ASKED}${SUBNET}mode = proxy\n` }],
  [/has no port/, { ports: [] }],
  [/fixed addresses only/, { fields: { instance_info: { configdrive: drive('ipv4', 'ipv6_slaac') } } }],
  [/Secure Boot/, { fields: { instance_info: { capabilities: { secure_boot: 'true' } } } }],
] as const satisfies readonly (readonly [RegExp, Scene])[])
  test(`the agent is not asked to load a kernel: ${why.source}`, async (t) => {
    const each = await scene(t, given);
    assert.equal(await each.load(), false);
    assert.match((await each.told()).at(-1) ?? '', why);
    assert.deepEqual(each.agent.asked, []);
  });

test('an instance with a fixed address is started by kexec if it asks for another one, or if nobody waits for that', async (t) => {
  const asking = await scene(t, {
    fields: { instance_info: { configdrive: drive('ipv4', 'ipv6_dhcpv6-stateful') } },
  });
  assert.equal(await asking.load(), true);
  const fixed = { instance_info: { configdrive: drive('ipv4') } };
  const unawaited = await scene(t, { ini: `${ASKED}kexec_timeout = 0\n${SUBNET}`, fields: fixed });
  assert.equal(await unawaited.load(), true);
});

for (const [asks, wanted, given] of [
  ['nobody', false, { ini: SUBNET }],
  ['the node', true, { ini: SUBNET, fields: { driver_info: { kexec: true } } }],
  ['the node, as text', true, { ini: SUBNET, fields: { driver_info: { kexec: 'True' } } }],
  ['the configuration but not the node', false, { fields: { driver_info: { kexec: false } } }],
  [
    'the instance but not the node',
    true,
    { fields: { driver_info: { kexec: false }, instance_info: { kexec: true } } },
  ],
] as const satisfies readonly (readonly [string, boolean, Scene])[])
  test(`kexec is ${wanted ? '' : 'not '}used if ${asks} asks for it`, async (t) => {
    const each = await scene(t, given);
    assert.equal(await each.load(), wanted);
    if (!wanted) assert.deepEqual([each.agent.asked, await each.told()], [[], []]);
  });
