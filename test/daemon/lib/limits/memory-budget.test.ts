// `strangers` are unauthenticated clients, such as ramdisks; `operators` are callers of the operator's API.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Claimant, createMemoryBudget } from '../../../../daemon/lib/limits/memory-budget.ts';

const operator: Claimant = { peer: '192.0.2.1', share: 'operators' };
const stranger: Claimant = { peer: '192.0.2.2', share: 'strangers' };
const another: Claimant = { peer: '192.0.2.3', share: 'strangers' };

test('strangers together reserve at most half of the budget, and operators can reserve the rest', () => {
  const budget = createMemoryBudget(100);
  assert.ok(budget.reserve(stranger, 25));
  assert.ok(budget.reserve(another, 25));
  assert.equal(budget.reserve({ peer: '192.0.2.4', share: 'strangers' }, 1), undefined);
  assert.equal(budget.hasRoom(stranger), false);
  assert.ok(budget.hasRoom(operator));
  assert.ok(budget.reserve(operator, 50));
  assert.equal(budget.hasRoom(operator), false);
});

test('a stranger reserves at most half of what all strangers together may, unless it holds nothing else', () => {
  const budget = createMemoryBudget(100);
  const first = budget.reserve(stranger, 20);
  assert.equal(budget.reserve(stranger, 6), undefined);
  assert.ok(budget.reserve(another, 6));
  first?.();
  assert.ok(budget.reserve(stranger, 44));
});

test('the same address is counted separately as operator and as stranger', () => {
  const budget = createMemoryBudget(100);
  assert.ok(budget.reserve({ ...operator, share: 'strangers' }, 25));
  assert.ok(budget.reserve(operator, 50));
});

test('occupied memory counts even beyond the limits and blocks reservations until released', () => {
  const budget = createMemoryBudget(100);
  const release = budget.occupy(operator, 500);
  assert.equal(budget.hasRoom(stranger), false);
  release();
  release();
  assert.ok(budget.hasRoom(stranger));
  assert.ok(budget.reserve(operator, 100));
});
