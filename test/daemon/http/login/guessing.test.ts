import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Guessing } from '../../../../daemon/http/login/guessing.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { throwsFault } from '../../../fakes/faults.ts';

test('the addresses of one IPv6 network share their attempts, and other networks have their own', () => {
  const guessing = new Guessing(fakeClock());
  for (let host = 1; host <= 10; host += 1) guessing.attempt(`2001:db8::${host}`);
  throwsFault(() => guessing.attempt('2001:db8::99'), 429, /10 wrong/);
  assert.doesNotThrow(() => guessing.attempt('2001:db8:0:1::1'));
});
