import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { offer, steppingAgent } from '../../../fakes/machines/stepping-agent.ts';
import {
  afterCrash,
  startStepping,
  step,
  type SteppingSession,
} from '../../../fakes/machines/stepping-session.ts';

const BOOTING = "the first heartbeat of the agent in the machine's ramdisk";

type Shown = Readonly<Record<'for' | 'reason' | 'since' | 'until', string>>;

/** Returns what the API says that the node waits for. */
async function waitOf(daemon: SteppingSession, node: string): Promise<Shown> {
  await daemon.idle();
  return (await daemon.request('GET', `/v1/nodes/${node}`)).body['wait'] as Shown;
}

const reasonOf = async (daemon: SteppingSession, node: string) => (await waitOf(daemon, node)).reason;

/** A node in manual cleaning with these steps. */
async function cleaning(t: TestContext, clean_steps: readonly object[], fields: object = {}) {
  const daemon = await startStepping(t, { ini: 'clean_callback_timeout = 1800\n' });
  const node = await daemon.stepping('manageable', fields);
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.clean = [offer('deploy.erase', 10), offer('deploy.flash', 0, { reboot_requested: true })];
  const answer = await daemon.verb(node, 'clean', { clean_steps });
  assert.equal(answer.status, 202, answer.text);
  await daemon.idle();
  return { daemon, node, agent };
}

const after = (since: string, seconds: number): number => Date.parse(since) + seconds * 1000;

test('the record says for whom and for what a node waits, since when and until when, from the boot of the ramdisk to the end', async (t) => {
  const { daemon, node, agent } = await cleaning(t, [step('deploy.erase'), step('deploy.flash')]);
  const { since, until, ...booting } = await waitOf(daemon, node);
  assert.deepEqual(booting, { for: 'agent', reason: BOOTING });
  assert.equal(since, daemon.node(node).provision_updated_at);
  assert.equal(Date.parse(until), after(since, 1800));
  await agent.boot();
  await agent.beat();
  assert.equal(await reasonOf(daemon, node), 'the end of step deploy.erase, which the agent runs');
  await daemon.clock.advance(60_000);
  await agent.beat();
  const later = await waitOf(daemon, node);
  assert.equal(Date.parse(later.until), after(later.since, 1860), 'a sign of life');
  agent.end();
  await agent.beat();
  agent.end();
  await agent.beat();
  assert.equal(
    await reasonOf(daemon, node),
    'the first heartbeat of the agent after the reboot for step deploy.flash',
  );
  await agent.boot();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  assert.deepEqual(await waitOf(daemon, node), {});
});

test('a crash at any wait leaves the reason, and a failure leaves none', async (t) => {
  const { daemon, node, agent } = await cleaning(t, [step('deploy.erase')]);
  const before = await waitOf(daemon, node);
  const second = await afterCrash(t, daemon);
  assert.deepEqual(await waitOf(second, node), before);
  agent.session = second;
  await agent.boot();
  await agent.beat();
  const third = await afterCrash(t, second);
  assert.equal(await reasonOf(third, node), 'the end of step deploy.erase, which the agent runs');
  third.services.db.nodes.move(
    node,
    { from: 'clean wait', event: 'resume' },
    { provision_state: 'cleaning' },
  );
  const fourth = await afterCrash(t, third);
  assert.deepEqual(await fourth.state(node), ['clean failed', 'manageable']);
  assert.deepEqual(await waitOf(fourth, node), {});
});

test('a node on hold waits for an operator, a timed step for its end, and both without a limit of their own', async (t) => {
  const steps = [step('power.hold'), step('power.wait', { seconds: 90 })];
  const { daemon, node } = await cleaning(t, steps);
  const hold = await waitOf(daemon, node);
  assert.deepEqual(
    [hold.for, hold.reason, hold.until],
    ['operator', 'an operator, who ends step power.hold with the verb unhold', null],
  );
  await daemon.verb(node, 'unhold');
  const timed = await waitOf(daemon, node);
  assert.deepEqual([timed.for, timed.reason], ['timer', 'the end of step power.wait, which lasts 90 s']);
  assert.equal(Date.parse(timed.until), after(timed.since, 90));
  await daemon.clock.advance(90_000);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  assert.deepEqual(await waitOf(daemon, node), {});
});

test('a polled step waits for the BMC, and names the tasks of the BMC that the driver has stored', async (t) => {
  const { daemon, node } = await cleaning(t, [step('bios.flash')], {
    driver_info: { check: ['wait', 'wait', 'wait', 'done'] },
  });
  assert.equal(
    await reasonOf(daemon, node),
    'the end of step bios.flash, for which the driver asks every 20 s',
  );
  const tasks = [1, 2, 3, 4, 5].map((number) => `/redfish/v1/TaskService/Tasks/${number}`);
  const polled = async (bmc_tasks: readonly string[]) => {
    const { driver_internal_info: info } = daemon.node(node);
    daemon.services.db.nodes.update(node, { driver_internal_info: { ...info, bmc_tasks } });
    await daemon.clock.advance(20_000);
    return waitOf(daemon, node);
  };
  const wait = await polled(tasks.slice(2, 3));
  const [asked, of] = [', for which the driver asks every 20 s', 'the end of step bios.flash'];
  assert.deepEqual([wait.for, wait.reason], ['bmc', `${of} (BMC task ${tasks[2]})${asked}`]);
  const several = `${of} (BMC tasks ${tasks.slice(0, 3).join(', ')} and 2 more)${asked}`;
  assert.equal((await polled(tasks)).reason, several);
  const before = await waitOf(daemon, node);
  await daemon.clock.advance(20_000);
  const same = await waitOf(daemon, node);
  assert.deepEqual([same.reason, same.since], [several, before.since]);
  await daemon.clock.advance(20_000);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
});

test('a busy agent, a step without poll and a rescue wait for a heartbeat', async (t) => {
  const { daemon, node, agent } = await cleaning(t, [step('deploy.erase'), step('deploy.idle')], {
    driver_info: { idle: 'wait' },
  });
  await agent.boot();
  await agent.beat();
  agent.end();
  await agent.beat();
  assert.match(
    await reasonOf(daemon, node),
    /^the next heartbeat of the agent at http:\S+, which ends step deploy\.idle$/,
  );
  const rescued = await daemon.stepping('active', { driver: 'stepping', rescue_interface: 'stepping' });
  await daemon.verb(rescued, 'rescue', { rescue_password: 'secret12' });
  assert.equal(await reasonOf(daemon, rescued), 'the first heartbeat of the rescue system');
});

test('lists show the reason when it is asked for, and clients cannot set it', async (t) => {
  const { daemon, node } = await cleaning(t, [step('deploy.erase')]);
  const idle = await daemon.stepping('manageable');
  const { body } = await daemon.request('GET', '/v1/nodes?fields=uuid,wait');
  const whole = await waitOf(daemon, node);
  assert.deepEqual(
    body.nodes.map(({ uuid, wait }) => [uuid, wait]),
    [
      [node, whole],
      [idle, {}],
    ],
  );
  const { body: short } = await daemon.request('GET', '/v1/nodes');
  assert.equal('wait' in (short.nodes[0] ?? {}), false);
  const patch = [{ op: 'remove', path: '/wait' }];
  assert.equal((await daemon.request('PATCH', `/v1/nodes/${idle}`, { body: patch })).status, 400);
  assert.deepEqual(await waitOf(daemon, node), whole);
});

test('after a timeout, last_error says what the node waited for, and since when', async (t) => {
  const { daemon, node } = await cleaning(t, [step('deploy.erase')]);
  const { since } = await waitOf(daemon, node);
  await daemon.clock.advance(1_800_000);
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  const { last_error: error } = daemon.node(node);
  const waited = `clean_callback_timeout), while the node waited for ${BOOTING} since ${since}.`;
  assert.ok(error?.includes(waited), error ?? 'no error');
  assert.deepEqual(await waitOf(daemon, node), {});
});
