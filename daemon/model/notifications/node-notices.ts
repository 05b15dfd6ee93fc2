// Which of Ironic's notifications a stored change of a node produces.
import type { JsonObject } from '../json.ts';
import { type Node, nodeFields } from '../records/node.ts';
import type { ProvisionEvent } from '../states/provision-events.ts';
import { isUnstable, next } from '../states/provision-states.ts';
import type { PayloadName } from './payloads.ts';

export interface Notice {
  readonly action: string;
  readonly status: 'start' | 'end' | 'error' | 'success';
  readonly payload: PayloadName;
  /** Fields of the payload that the node does not have. */
  readonly more?: JsonObject;
}

const OWN_NOTICE: ReadonlySet<string> = new Set(['maintenance', 'power_state', 'provision_state']);
const RECORD_FIELDS = Object.entries(nodeFields).flatMap(([name, field]) =>
  'update' in field && !OWN_NOTICE.has(name) ? [name as keyof Node] : [],
);
/** The fields whose change may produce a notification. Most writes, such as those of heartbeats, change none of them. */
export const announcedFields: ReadonlySet<string> = new Set([
  ...RECORD_FIELDS,
  'maintenance',
  'maintenance_reason',
  'last_error',
  'power_state',
  'target_power_state',
  'provision_state',
  'console_enabled',
  'traits',
]);

/** `event`: the event that changed the provision state, if the caller knows it. */
export function nodeNotices(before: Node, after: Node, event?: ProvisionEvent): readonly Notice[] {
  const differs = (field: keyof Node) => JSON.stringify(before[field]) !== JSON.stringify(after[field]);
  const notices = [
    ...powerNotices(before, after),
    ...(differs('provision_state') ? [provisionNotice(before, after, event)] : []),
    ...(differs('maintenance') || differs('maintenance_reason') ? [ended('maintenance_set', 'node')] : []),
    ...(differs('console_enabled') ? [ended('console_set', 'node')] : []),
    ...(RECORD_FIELDS.some(differs) || differs('traits') ? [ended('update', 'nodeRecord')] : []),
  ];
  // Ironic sends nothing for an error that changes no state; this daemon sends an update, so that clients learn of the error
  return notices.length === 0 && differs('last_error') ? [ended('update', 'nodeRecord')] : notices;
}

const ended = (action: string, payload: PayloadName): Notice => ({ action, status: 'end', payload });

function powerNotices(before: Node, after: Node): readonly Notice[] {
  const { power_state: from, target_power_state: wanted } = before;
  const { power_state: now, target_power_state: target } = after;
  const notice = (status: Notice['status'], to_power: string): Notice => ({
    action: 'power_set',
    status,
    payload: 'nodePower',
    more: { to_power },
  });
  if (target !== null && target !== wanted) return [notice('start', target)];
  if (wanted !== null && target === null) return [notice(now === wanted ? 'end' : 'error', wanted)];
  if (from === now || from === null) return [];
  return [
    {
      action: 'power_state_corrected',
      status: 'success',
      payload: 'nodePowerCorrected',
      more: { from_power: from },
    },
  ];
}

function provisionNotice(before: Node, after: Node, given: ProvisionEvent | undefined): Notice {
  const { provision_state: from, target_provision_state: target } = before;
  const { provision_state: to } = after;
  // work that a restart interrupted fails without an event
  const event = given ?? (next(from, 'fail') === to ? 'fail' : null);
  return {
    action: 'provision_set',
    status: event === 'fail' ? 'error' : statusOf(isUnstable(from), isUnstable(to)),
    payload: 'nodeProvision',
    more: { event, previous_provision_state: from, previous_target_provision_state: target },
  };
}

function statusOf(before: boolean, after: boolean): Notice['status'] {
  if (before === after) return 'success';
  return after ? 'start' : 'end';
}
