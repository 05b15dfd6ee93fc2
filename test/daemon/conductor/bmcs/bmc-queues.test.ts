import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import {
  type BmcQueues,
  type BmcRunOptions,
  createBmcQueues,
  type EndedConversation,
} from '../../../../daemon/conductor/bmcs/bmc-queues.ts';
import { sleep } from '../../../../daemon/lib/clock.ts';
import { fault } from '../../../../daemon/model/faults.ts';
import { fakeClock, settled } from '../../../fakes/clock.ts';
import { fakeLogger, type LogLine } from '../../../fakes/task.ts';

const bmc = 'ipmi://192.0.2.1:623';
const urgent = (options: Partial<BmcRunOptions> = {}): BmcRunOptions => ({
  node: 'node-1',
  urgent: true,
  deadline: 60_000,
  signal: new AbortController().signal,
  ...options,
});
const background = (options: Partial<BmcRunOptions> = {}) => urgent({ urgent: false, ...options });

function setUp() {
  const clock = fakeClock(0);
  const logged: LogLine[] = [];
  const ended: EndedConversation[] = [];
  return {
    clock,
    logged,
    ended,
    queues: createBmcQueues({ clock, log: fakeLogger(logged), ended: (each) => void ended.push(each) }),
  };
}

const unanswered = async () => {
  throw fault('BmcFailure', { operation: 'Reading', node: 'node-1', address: bmc, reason: 'no answer' });
};
async function failTimes(queues: BmcQueues, times: number) {
  for (let time = 0; time < times; time++) {
    await assert.rejects(queues.run(bmc, urgent(), unanswered), /no answer/);
  }
}

test('run returns the result of the operation', async () => {
  const { queues, clock } = setUp();
  assert.equal(await queues.run(bmc, urgent(), async () => 'on'), 'on');
  assert.equal(clock.pending, 0);
});

test('the next operation starts after the minimum gap', async () => {
  const { queues, clock } = setUp();
  const starts: number[] = [];
  const note = async () => void starts.push(clock.now());
  await queues.run(bmc, urgent({ minimumGap: 5000 }), note);
  const second = queues.run(bmc, urgent(), note);
  await clock.advance(4999);
  assert.deepEqual(starts, [0]);
  await clock.advance(1);
  await second;
  assert.deepEqual(starts, [0, 5000]);
});

test('for ten minutes after a BMC did not answer, its operations are kept further apart', async () => {
  const { queues, clock } = setUp();
  const options = urgent({ gapAfterSilence: 5000 });
  const start = () => queues.run(bmc, options, async () => clock.now());
  await assert.rejects(queues.run(bmc, options, unanswered), /no answer/);
  const second = start();
  await clock.advance(5000);
  assert.equal(await second, 5000);
  await clock.advance(595_000);
  assert.deepEqual([await start(), await start()], [600_000, 600_000]);
});

test('setting the clock back does not extend the gap', async () => {
  const { clock, queues } = setUp();
  await queues.run(bmc, urgent({ minimumGap: 5000 }), async () => undefined);
  clock.set(-86_400_000);
  const next = queues.run(bmc, urgent(), async () => 'done');
  await clock.advance(5000);
  assert.equal(await next, 'done');
});

test('an exceeded deadline aborts the operation and rejects the call', async () => {
  const { queues, clock } = setUp();
  let reason: unknown;
  const hangs = queues.run(bmc, urgent({ deadline: 10_000 }), async (signal) => {
    await sleep(clock, 1e9, signal).catch(() => undefined);
    reason = signal.reason;
    throw new Error('killed');
  });
  const rejection = assert.rejects(hangs, {
    code: 'BmcFailure',
    message: `Communication failed for node node-1 on BMC ${bmc}: no answer within 10 s`,
  });
  await clock.advance(10_000);
  await rejection;
  assert.match(String(reason), /no answer within 10 s/);
});

test('when an operation ends with BmcFailure after its deadline, the caller gets that failure', async () => {
  const { queues, clock } = setUp();
  const rejection = assert.rejects(
    queues.run(bmc, urgent({ deadline: 1000 }), (signal) => sleep(clock, 1e9, signal).catch(unanswered)),
    /Reading failed/,
  );
  await clock.advance(1000);
  await rejection;
});

test('a caller can cancel a queued operation, and the timer that would start the operation is removed', async () => {
  const { queues, clock } = setUp();
  await queues.run(bmc, urgent({ minimumGap: 5000 }), async () => undefined);
  const caller = new AbortController();
  const waiting = queues.run(bmc, urgent({ signal: caller.signal }), () => assert.fail('it ran'));
  await settled();
  assert.equal(clock.pending, 1);
  caller.abort(new Error('the daemon stops'));
  await assert.rejects(waiting, /the daemon stops/);
  assert.equal(clock.pending, 0);
});

test('a caller can abort a running operation without a failure being counted for the BMC', async () => {
  const { queues, clock } = setUp();
  for (let time = 0; time < 4; time++) {
    const caller = new AbortController();
    const running = queues.run(bmc, background({ signal: caller.signal }), (signal) =>
      sleep(clock, 1e9, signal).catch(unanswered),
    );
    await settled();
    caller.abort(new Error('the daemon stops'));
    await assert.rejects(running, /the daemon stops/);
  }
});

test('an operation with an already aborted signal does not run', async () => {
  const { queues } = setUp();
  const signal = AbortSignal.abort(new Error('too late'));
  await assert.rejects(
    queues.run(bmc, urgent({ signal }), () => assert.fail('it ran')),
    /too late/,
  );
});

test('three failures block background work, and the error gives the time of the first failure and of the next try', async () => {
  const { queues, clock, logged } = setUp();
  await clock.advance(1000);
  await failTimes(queues, 3);
  await assert.rejects(
    queues.run(bmc, background(), () => assert.fail('it ran')),
    {
      code: 'BmcFailure',
      message:
        `Communication failed for node node-1 on BMC ${bmc}: it has not answered since ` +
        '1970-01-01T00:00:01.000+00:00 and will be tried again at 1970-01-01T00:00:31.000+00:00',
    },
  );
  assert.deepEqual(
    logged.map(({ level }) => level),
    ['warn'],
  );
});

test('an urgent operation runs on a blocked BMC, and its success unblocks background work', async () => {
  const { queues, logged } = setUp();
  await failTimes(queues, 3);
  assert.equal(await queues.run(bmc, urgent(), async () => 'on'), 'on');
  assert.equal(await queues.run(bmc, background(), async () => 'on'), 'on');
  assert.deepEqual(
    logged.map(({ level }) => level),
    ['warn', 'info'],
  );
  await failTimes(queues, 2);
  assert.equal(await queues.run(bmc, background(), async () => 'on'), 'on');
});

test('the block doubles with each failure up to 300 s', async () => {
  const { queues, clock } = setUp();
  await failTimes(queues, 2);
  for (const seconds of [30, 60, 120, 240, 300, 300]) {
    await assert.rejects(queues.run(bmc, background(), unanswered), /no answer/);
    await clock.advance(seconds * 1000 - 1);
    await assert.rejects(queues.run(bmc, background(), unanswered), /has not answered since/);
    await clock.advance(1);
  }
});

test('a new block rejects queued background work but not queued urgent work', async () => {
  const { queues, clock } = setUp();
  await failTimes(queues, 2);
  const third = queues.run(bmc, urgent(), (signal) => sleep(clock, 1e9, signal).then(unanswered));
  const waiting = queues.run(bmc, background(), () => assert.fail('it ran'));
  const asked = queues.run(bmc, urgent(), async () => 'on');
  const rejections = Promise.all([
    assert.rejects(third, /no answer within 60 s/),
    assert.rejects(waiting, /has not answered since/),
  ]);
  await clock.advance(60_000);
  await rejections;
  assert.equal(await asked, 'on');
});

test('the queues report the outcome and the duration of each conversation', async () => {
  const { clock, queues, ended } = setUp();
  const converse = (failure?: Error) =>
    queues
      .run(bmc, urgent(), async () => {
        await sleep(clock, 250);
        if (failure !== undefined) throw failure;
      })
      .catch(() => undefined);
  const refusal = fault('BmcNotReady', {
    operation: 'x',
    node: 'n',
    address: bmc,
    reason: 'busy',
    seconds: 1,
  });
  for (const failure of [undefined, refusal, new Error('a mistake')]) {
    const conversation = converse(failure);
    await clock.advance(250);
    await conversation;
  }
  assert.deepEqual(
    ended,
    (['answered', 'refused', 'other'] as const).map((outcome) => ({ outcome, milliseconds: 250 })),
  );
});

test('an unexpected error in an operation does not block the BMC', async () => {
  const { queues } = setUp();
  for (let time = 0; time < 4; time++) {
    await assert.rejects(
      queues.run(bmc, background(), async () => {
        throw new TypeError('a bug');
      }),
      /a bug/,
    );
  }
});

test('a hanging BMC does not delay another BMC', async () => {
  const { queues, clock } = setUp();
  const hanging = assert.rejects(
    queues.run(bmc, urgent(), (signal) => sleep(clock, 1e9, signal)),
    /no answer within 60 s/,
  );
  assert.equal(await queues.run('ipmi://192.0.2.2:623', urgent(), async () => 'on'), 'on');
  await clock.advance(60_000);
  await hanging;
});

test('queues of unused BMCs are removed', async () => {
  const { queues, clock } = setUp();
  await failTimes(queues, 1);
  for (let host = 0; host < 100; host++) {
    await queues.run(`ipmi://198.51.100.${host}:623`, urgent({ minimumGap: 5000 }), async () => undefined);
    await clock.advance(1000);
  }
  assert.equal(queues.size, 6);
  await clock.advance(3_600_000);
  await queues.run('ipmi://192.0.2.9:623', urgent(), async () => undefined);
  assert.equal(queues.size, 1);
});

const call = fc.record({
  address: fc.constantFrom('a', 'b'),
  arrival: fc.nat(100),
  duration: fc.nat(50),
  end: fc.constantFrom('result', 'unanswered', 'bug', 'hang'),
  minimumGap: fc.nat(20),
  deadline: fc.integer({ min: 1, max: 60 }),
  urgent: fc.boolean(),
  abortAfter: fc.option(fc.nat(80)),
});

test('the operations of a BMC run one at a time, in order and with gaps, and every call settles', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 15 }), async (calls) => {
      const { queues, clock } = setUp();
      const violations: string[] = [];
      const running = new Set<string>();
      const freeAt = new Map<string, number>();
      const started = new Map<string, number>();
      let settledCalls = 0;
      const inOrder = calls.toSorted((a, b) => a.arrival - b.arrival);
      for (const [index, { address, duration, end, abortAfter, ...options }] of inOrder.entries()) {
        await clock.advance(options.arrival - clock.now());
        const caller = new AbortController();
        if (abortAfter !== null) clock.after(abortAfter, () => caller.abort(new Error('aborted')));
        const operation = async (signal: AbortSignal) => {
          if (running.has(address)) violations.push('two at once');
          if (clock.now() < (freeAt.get(address) ?? 0)) violations.push('no gap');
          if (index < (started.get(address) ?? 0)) violations.push('out of order');
          started.set(address, index);
          running.add(address);
          try {
            await sleep(clock, end === 'hang' ? 1e9 : duration, signal);
            if (end === 'unanswered') await unanswered();
            if (end === 'bug') throw new TypeError('a bug');
          } finally {
            running.delete(address);
            freeAt.set(address, clock.now() + options.minimumGap);
          }
        };
        const count = () => settledCalls++;
        void queues
          .run(address, { node: 'node-1', signal: caller.signal, ...options }, operation)
          .then(count, count);
      }
      await clock.advance(100_000);
      assert.deepEqual(violations, []);
      assert.equal(settledCalls, calls.length);
      assert.equal(clock.pending, 0);
    }),
    { numRuns: 200 },
  );
});
