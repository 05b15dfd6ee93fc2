import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../../daemon/lib/clock.ts';
import { SimulatedAppliance } from '../../../../daemon/simulator/oneview/appliance.ts';
import type { Ending } from '../../../fakes/daemon/in-process-daemon.ts';

async function started(t: Ending) {
  const appliance = await SimulatedAppliance.start({ clock: systemClock, random: () => 0.5 });
  t.after(async () => appliance.stop());
  const { url, journal } = appliance;
  const send = async (method: string, body?: string) => {
    const reply = await fetch(`${url}/sim/faults`, { method, ...(body !== undefined && { body }) });
    return { status: reply.status, text: await reply.text() };
  };
  return { url, journal, send };
}

test('a fault added with POST affects as many requests to its path as its field `times` says', async (t) => {
  const { url, send, journal } = await started(t);
  const action = { kind: 'status', status: 503, code: 'BUSY' };
  const { status } = await send('POST', JSON.stringify({ path: '/rest/version', times: 2, action }));
  assert.equal(status, 201);
  const answers: number[] = [];
  for (let asked = 0; asked < 3; asked += 1) answers.push((await fetch(`${url}/rest/version`)).status);
  assert.deepEqual(answers, [503, 503, 200]);
  assert.deepEqual(
    journal.map(({ path }) => path),
    ['/rest/version', '/rest/version', '/rest/version'],
  );
});

test('a DELETE ends all faults', async (t) => {
  const { url, send } = await started(t);
  await send('POST', JSON.stringify({ times: 100, action: { kind: 'reset' } }));
  await assert.rejects(fetch(`${url}/rest/version`));
  assert.equal((await send('DELETE')).status, 204);
  assert.equal((await fetch(`${url}/rest/version`)).status, 200);
});

test('a malformed fault is refused with the reason', async (t) => {
  const { url, send } = await started(t);
  const refusals: readonly (readonly [unknown, RegExp])[] = [
    ['half', /not a JSON object/],
    [{}, /action is missing/],
    [{ action: { kind: 'fire' } }, /action\.kind \\"fire\\": expected one of reset, drop reply/],
    [{ action: { kind: 'hang' } }, /seconds is missing: expected a number/],
    [{ action: { kind: 'hang', seconds: -1 } }, /seconds -1: expected a number/],
    [{ action: { kind: 'reset' }, times: 'two' }, /times \\"two\\": expected a number/],
    [{ action: { kind: 'reset' }, time: 2 }, /time is not a field of this fault/],
    [{ action: { kind: 'reset', leavesProfile: true } }, /leavesProfile is not a field of this fault/],
  ];
  for (const [body, reason] of refusals) {
    const { status, text } = await send('POST', JSON.stringify(body));
    assert.equal(status, 400, text);
    assert.match(text, reason);
  }
  assert.equal((await send('PUT', '{}')).status, 405);
  assert.equal((await fetch(`${url}/rest/version`)).status, 200);
});
