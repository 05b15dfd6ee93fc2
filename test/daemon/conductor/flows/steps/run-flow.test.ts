import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Phase } from '../../../../../daemon/conductor/flows/steps/phase.ts';
import {
  enterFlow,
  planAndRun,
  resumeAfter,
  resumeByPlanning,
  resumeByRepeating,
} from '../../../../../daemon/conductor/flows/steps/run-flow.ts';
import type { FlowTask } from '../../../../../daemon/conductor/flows/services.ts';
import { NodeTask } from '../../../../../daemon/conductor/tasks/task.ts';
import { steppingAgent } from '../../../../fakes/machines/stepping-agent.ts';
import { startStepping, step, type SteppingSession } from '../../../../fakes/machines/stepping-session.ts';

/** Begins cleaning with these steps on a machine whose behaviour `driver_info` scripts. */
async function cleaning(t: TestContext, steps: readonly object[], driver_info: object) {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info });
  const agent = await steppingAgent(t, daemon, node);
  await daemon.verb(node, 'clean', { clean_steps: steps });
  await daemon.idle();
  return { daemon, node, agent };
}

type Cleaning = Awaited<ReturnType<typeof cleaning>>;

async function heartbeat({ agent }: Cleaning) {
  await agent.boot();
  await agent.beat();
}

const entries: Readonly<
  Record<string, readonly [readonly object[], object, (begun: Cleaning) => Promise<unknown>]>
> = {
  'its start': [[step('bios.factory_reset')], { factory_reset: 'worn out' }, async () => {}],
  'the preparation of its ramdisk': [[step('deploy.wipe')], { prepareCleaning: 'worn out' }, async () => {}],
  'a heartbeat': [[step('deploy.wipe')], { wipe: 'worn out' }, heartbeat],
  'a poll': [[step('bios.flash')], { check: 'worn out' }, ({ daemon }) => daemon.clock.advance(40_000)],
  'the end of a timed wait': [
    [step('bios.wait', { seconds: 5 }), step('bios.factory_reset')],
    { factory_reset: 'worn out' },
    ({ daemon }) => daemon.clock.advance(5000),
  ],
  'an unhold': [
    [step('bios.hold'), step('bios.factory_reset')],
    { factory_reset: 'worn out' },
    ({ daemon, node }) => daemon.verb(node, 'unhold'),
  ],
};

for (const [entry, [steps, script, cause]] of Object.entries(entries)) {
  test(`a flow that fails at ${entry} records one failure`, async (t) => {
    const begun = await cleaning(t, steps, script);
    await cause(begun);
    const { daemon, node } = begun;
    assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
    const recorded = failures(daemon, node);
    assert.equal(recorded.length, 1, recorded.join('\n'));
    assert.match(recorded[0] ?? '', /^Cleaning failed: .*worn out/);
  });
}

const failures = (daemon: SteppingSession, node: string) =>
  daemon.services.db.history
    .where({ sql: 'node_uuid = ?', values: [node] })
    .filter(({ severity }) => severity === 'ERROR')
    .map(({ event }) => event ?? '');

for (const [state, name, work] of [
  ['cleaning', 'its planning', planAndRun],
  ['clean wait', 'its planning after the ramdisk has booted', resumeByPlanning],
  ['clean wait', 'the repetition of a step', resumeByRepeating],
  ['clean wait', 'the end of a step', (task, phase) => resumeAfter(task, phase, 'done')],
] as const satisfies readonly (readonly [
  'cleaning' | 'clean wait',
  string,
  (task: FlowTask, phase: Phase) => Promise<void>,
])[]) {
  test(`a flow that fails at ${name} tries only once to record the failure`, async (t) => {
    const daemon = await startStepping(t);
    const uuid = await daemon.stepping(state);
    const node = daemon.services.db.nodes.get(uuid);
    assert.ok(node);
    const task = new NodeTask({ services: daemon.services, caller: null }, node);
    let attempts = 0;
    const phase: Phase = {
      name: 'clean',
      plan: () => assert.fail('no plan'),
      finish: () => assert.fail('no end'),
      async fail() {
        attempts += 1;
        throw new Error('disk full');
      },
    };
    await assert.rejects(
      enterFlow(task, phase, () => work(task, phase)),
      /disk full/,
    );
    assert.equal(attempts, 1);
  });
}
