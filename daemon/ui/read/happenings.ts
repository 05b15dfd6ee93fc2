// Reads events, and requests from the audit file, as one list with the newest first.
import type { Services } from '../../conductor/services.ts';
import { type AuditRecord, readNewestAudit } from '../../lib/files/audit-file.ts';
import { isJsonObject } from '../../model/json.ts';
import type { StoredEvent } from '../../db/tables/events.ts';
import { maskSecrets } from '../../model/secrets.ts';

export interface Happening {
  readonly at: string;
  readonly kind: 'event' | 'request';
  readonly user: string | null;
  readonly node: string | null;
  readonly text: string;
  readonly failed: boolean;
}

export interface HappeningFilter {
  /** A node's UUID. */
  readonly node: string | undefined;
  readonly user: string;
  readonly kind: string;
}

const SHOWN = 200;

export function readHappenings(services: Services, filter: HappeningFilter): readonly Happening[] {
  const withEvents = filter.kind !== 'request' && filter.user === '';
  const events = withEvents ? eventsOf(services, filter) : [];
  const requests = filter.kind === 'event' ? [] : requestsOf(services, filter);
  return [...events, ...requests].toSorted((a, b) => b.at.localeCompare(a.at)).slice(0, SHOWN);
}

const eventsOf = ({ db }: Services, { node }: HappeningFilter): readonly Happening[] =>
  db.events.before(Number.MAX_SAFE_INTEGER, SHOWN, { node }).map(eventShown);

function eventShown({ event_type, node_uuid, body }: StoredEvent): Happening {
  const { timestamp, priority, payload } = JSON.parse(body) as Readonly<Record<string, unknown>>;
  const fields = isJsonObject(payload) ? payload['ironic_object.data'] : undefined;
  return {
    at: String(timestamp),
    kind: 'event',
    user: null,
    node: node_uuid,
    text: [event_type.replace(/^baremetal\./, ''), changeIn(isJsonObject(fields) ? fields : {})]
      .filter((part) => part !== '')
      .join(': '),
    failed: priority === 'error',
  };
}

/** Returns a text such as `inspecting to manageable, power off`. */
function changeIn(fields: Readonly<Record<string, unknown>>): string {
  const text = (name: string) => (typeof fields[name] === 'string' ? [fields[name]] : []);
  const changes = [
    [...text('previous_provision_state'), ...text('provision_state')],
    [...text('from_power'), ...text('power_state'), ...text('to_power')],
    text('last_error').map(maskSecrets),
  ];
  return changes
    .filter((steps) => steps.length > 0)
    .map((steps) => steps.filter((step, at) => step !== steps[at - 1]).join(' to '))
    .join(', ');
}

function requestsOf({ config }: Services, { node, user }: HappeningFilter): readonly Happening[] {
  return readNewestAudit(config.audit.file)
    .filter((record) => (node === undefined || record.node === node) && (user === '' || record.user === user))
    .slice(-SHOWN)
    .map(requestShown);
}

const requestShown = ({
  time,
  user,
  client,
  method,
  path,
  target,
  status,
  node,
}: AuditRecord): Happening => ({
  at: time,
  kind: 'request',
  user: user ?? client ?? 'local',
  node: node ?? null,
  text: `${method} ${path}${target === undefined ? '' : ` ${target}`}: ${status}`,
  failed: status >= 400,
});
