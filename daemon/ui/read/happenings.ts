// Reads events and the audit file, the newest first, in one order of time.
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
    text: [event_type.replace(/^baremetal\./, ''), ...(isJsonObject(fields) ? changeIn(fields) : [])].join(
      ' ',
    ),
    failed: priority === 'error',
  };
}

function changeIn(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const shown = ['provision_state', 'power_state', 'last_error'].map((name) => fields[name]);
  return shown.flatMap((value) => (typeof value === 'string' ? [maskSecrets(value)] : []));
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
