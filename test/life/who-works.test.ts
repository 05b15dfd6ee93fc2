import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootsBetween, comparison, type Mark, phaseTable, sharesBetween } from './who-works.ts';

const marks: readonly Mark[] = [
  { milliseconds: 2000, worker: 'firmware' },
  { milliseconds: 5000, worker: 'ramdisk' },
  { milliseconds: 9000, worker: 'daemon' },
];

const rows = (factor: number) =>
  ['inspect', 'deploy'].map((phase) => ({
    phase,
    boots: factor,
    seconds: 9 * factor,
    shares: sharesBetween(marks, 1000, 1000 + 9000 * factor),
  }));

test('each moment of the period belongs to the worker of the latest mark before it, and to the daemon when there is none', () => {
  assert.deepEqual(sharesBetween(marks, 1000, 10_000), {
    daemon: 2,
    firmware: 3,
    ramdisk: 4,
    agent: 0,
    instance: 0,
  });
  assert.deepEqual(sharesBetween(marks, 6000, 7000).ramdisk, 1);
});

test('a boot is a power-on of the machine, whatever it boots', () => {
  const boots: readonly Mark[] = [...marks, { milliseconds: 12_000, worker: 'instance' }];
  assert.equal(bootsBetween(boots, 1000, 20_000), 2);
  assert.equal(bootsBetween(boots, 2001, 12_000), 0);
});

test('each table has a line with the totals of all phases', () => {
  assert.match(phaseTable(rows(1)), /^all +2 +18\.0 +4\.0 +6\.0 +8\.0 +0\.0 +0\.0$/m);
  assert.match(comparison(rows(1), rows(2)), /^all +2 +4 +18\.0 +36\.0 +0\.50 +4\.0 +22\.0 +0\.18$/m);
});

test('a phase that only one side has is left out of the comparison', () => {
  const rebuild = { phase: 'rebuild', boots: 2, seconds: 50, shares: sharesBetween([], 0, 50_000) };
  assert.equal(comparison([...rows(1), rebuild], rows(2)), comparison(rows(1), rows(2)));
  assert.equal(comparison(rows(1), [...rows(2), rebuild]), comparison(rows(1), rows(2)));
});
