import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Guessing } from '../../../../daemon/http/login/guessing.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { throwsFault } from '../../../fakes/faults.ts';

test('the addresses of one IPv6 network share their attempts, and other networks have their own', () => {
  const guessing = new Guessing(fakeClock());
  for (let host = 1; host <= 10; host += 1) guessing.attempt(`2001:db8::${host}`, 'ann');
  throwsFault(() => guessing.attempt('2001:db8::99', 'ann'), 429, /10 wrong/);
  assert.doesNotThrow(() => guessing.attempt('2001:db8:0:1::1', 'ann'));
});

test('wrong passwords for one user of an address use up no attempts of other users', () => {
  const guessing = new Guessing(fakeClock());
  for (let guess = 0; guess < 10; guess += 1) guessing.attempt('local', 'monitoring');
  throwsFault(() => guessing.attempt('local', 'monitoring'), 429, /10 wrong/);
  const refused = Array.from({ length: 100 }, (_, index) => `user ${index}`).filter((user) => {
    try {
      guessing.attempt('local', user);
      return false;
    } catch {
      return true;
    }
  });
  // users are counted in 64 groups by a random key, so that some users share the group of the refused one
  assert.ok(refused.length < 20, `${refused.length} of 100 users are locked out`);
});

test('invented user names use up attempts, and do not make the daemon forget failures', () => {
  const guessing = new Guessing(fakeClock());
  for (let guess = 0; guess < 10; guess += 1) guessing.attempt('192.0.2.7', 'ann');
  const tried = Array.from({ length: 20_000 }, (_, index) => {
    try {
      guessing.attempt('192.0.2.7', `invented ${index}`);
      return true;
    } catch {
      return false;
    }
  });
  assert.ok(tried.filter(Boolean).length <= 630);
  throwsFault(() => guessing.attempt('192.0.2.7', 'ann'), 429, /10 wrong/);
});
