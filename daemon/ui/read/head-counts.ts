// Counts what the head of every page shows.
import { isUnstable } from '../../model/states/provision-states.ts';
import type { HealthCheck } from './health.ts';
import { countWaiting } from './inbox.ts';
import { countProblems } from './machines.ts';
import type { ReadServices } from './services.ts';

export function readHeadCounts(services: ReadServices, checks: readonly HealthCheck[]) {
  const { db } = services;
  const states = db.nodes.countByState();
  const sum = (rows: typeof states) => rows.reduce((total, { count }) => total + count, 0);
  return {
    machines: sum(states),
    problems: countProblems(services),
    working: sum(states.filter(({ provision_state: state }) => isUnstable(state))),
    images: db.images.list(['uuid'], [], { limit: 1000, sortKey: 'id', descending: false }).length,
    waiting: countWaiting(services),
    failing: checks.filter(({ ok }) => ok === false).length,
  };
}
