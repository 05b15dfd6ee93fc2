import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, command, passing, withAnswers } from '../../fakes/machines/agent-client.ts';
import { answerJson } from '../../fakes/machines/scripted-agent.ts';

test('the timeline gets the beginning and the end of a command, and why a command failed', async (t) => {
  const replies = [
    command(),
    command({ command_status: 'SUCCEEDED' }),
    command(),
    command({ command_status: 'FAILED', command_error: 'the disk is gone' }),
  ];
  const { agent, clock, events } = await withAnswers(t, (_, response) =>
    answerJson(response, replies.shift()),
  );
  await passing(agent.run('standby.sync', {}), () => clock.advance(6000));
  await passing(assert.rejects(agent.run('standby.sync', {})), () => clock.advance(6000));
  assert.deepEqual(events.slice(0, 3), [
    { text: 'its agent began standby.sync' },
    { text: 'its agent ended standby.sync' },
    { text: 'its agent began standby.sync' },
  ]);
  assert.match(events[3]?.text ?? '', /^its agent did not end standby\.sync: .*the disk is gone/);
  assert.deepEqual(
    events.map(({ failed }) => failed),
    [undefined, undefined, undefined, true],
  );
});

test('the timeline names a step by phase, interface and name, and says why the step did not begin', async () => {
  const { agent, events } = ask(undefined);
  await assert.rejects(agent.startStep('clean', { interface: 'deploy', step: 'erase' }));
  assert.match(events[0]?.text ?? '', /^its agent did not begin clean step deploy\.erase: .*no heartbeat/);
  assert.equal(events[0]?.failed, true);
});
