// Reads events, and requests from the audit file, as one list with the newest first.
import { type AuditRecord, readNewestAudit } from '../../lib/files/audit-file.ts';
import { isJsonObject } from '../../model/json.ts';
import type { StoredEvent } from '../../db/tables/events.ts';
import { maskSecrets } from '../../model/secrets.ts';
import type { ReadServices } from './services.ts';

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
  /** Where the page begins: `next` of the page before; empty for the newest. */
  readonly before: string;
}

export interface HappeningPage {
  readonly happenings: readonly Happening[];
  /** Where the next page begins; undefined if there is none. */
  readonly next: string | undefined;
}

const SHOWN = 100;

/** An item with its place among those of its kind. */
interface Placed {
  readonly happening: Happening;
  /** The id of an event, or of a request. */
  readonly place: string;
}

/** Returns a page of events and requests, the newest first. */
export function readHappenings(services: ReadServices, filter: HappeningFilter): HappeningPage {
  const [event = '', request = ''] = filter.before.split('~', 2);
  const withEvents = filter.kind !== 'request' && filter.user === '';
  const events = withEvents ? eventsOf(services, filter, event) : [];
  const requests = filter.kind === 'event' ? [] : requestsOf(services, filter, request);
  const all = [...events, ...requests].toSorted((a, b) => b.happening.at.localeCompare(a.happening.at));
  const shown = all.slice(0, SHOWN);
  // the last one of each kind that is shown; one that is not shown at all goes on where this page began
  const lastOf = (kind: Happening['kind']) =>
    shown.findLast(({ happening }) => happening.kind === kind)?.place;
  const next = `${lastOf('event') ?? event}~${lastOf('request') ?? request}`;
  return {
    happenings: shown.map(({ happening }) => happening),
    next: all.length > SHOWN ? next : undefined,
  };
}

/** Returns one more than a page shows, which tells whether there is a next page. */
const eventsOf = ({ db }: ReadServices, { node }: HappeningFilter, before: string): readonly Placed[] =>
  db.events
    .before(/^\d{1,15}$/.test(before) ? Number(before) : Number.MAX_SAFE_INTEGER, SHOWN + 1, { node })
    .map((event) => ({ happening: eventShown(event), place: String(event.id) }));

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
  const differences = [fields['changes'], fields['class_differences']]
    .flat()
    .filter((each) => typeof each === 'string');
  const changes = [
    [...text('previous_provision_state'), ...text('provision_state')],
    [...text('from_power'), ...text('power_state'), ...text('to_power')],
    text('last_error').map(maskSecrets),
    differences.length === 0 ? [] : [differences.join('; ')],
  ];
  return changes
    .filter((steps) => steps.length > 0)
    .map((steps) => steps.filter((step, at) => step !== steps[at - 1]).join(' to '))
    .join(', ');
}

function requestsOf(
  { config }: ReadServices,
  { node, user }: HappeningFilter,
  before: string,
): readonly Placed[] {
  const all = readNewestAudit(config.audit.file);
  // a request that is no longer kept was the oldest
  const end =
    before === ''
      ? all.length
      : Math.max(
          0,
          all.findIndex(({ request_id: id }) => id === before),
        );
  return all
    .slice(0, end)
    .filter((record) => (node === undefined || record.node === node) && (user === '' || record.user === user))
    .slice(-SHOWN - 1)
    .map((record) => ({ happening: requestShown(record), place: record.request_id }));
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
