// Writes entries of a node's history and provides the text of its last_error.
import { randomUUID } from 'node:crypto';
import type { Node } from '../../model/records/node.ts';
import { maskSecrets } from '../../model/secrets.ts';
import { now } from '../../lib/clock.ts';
import type { TaskServices } from './services.ts';

export interface HistoryEntry {
  readonly event: string;
  /** A state's name or a kind of event: verify, inspection, monitoring, provisioning, ... */
  readonly eventType: string;
  readonly user?: string | null;
}

export function recordInfo(services: TaskServices, node: Node, entry: HistoryEntry): void {
  record(services, node, 'INFO', entry);
}

/**
 * Writes the history entry, unless [conductor] node_history is off. Returns the entry's text for `last_error`, cut to [DEFAULT]
 * log_in_db_max_size.
 */
export function recordError(services: TaskServices, node: Node, entry: HistoryEntry): string {
  record(services, node, 'ERROR', entry);
  return textOf(services, entry);
}

// readers see it, and it may quote what failed: a URL with a login, or a step's arguments
const textOf = ({ config }: TaskServices, { event }: HistoryEntry): string =>
  maskSecrets(event).slice(0, config.DEFAULT.log_in_db_max_size);

function record(services: TaskServices, node: Node, severity: 'ERROR' | 'INFO', entry: HistoryEntry): void {
  if (!services.config.conductor.node_history) return;
  const since = node.provision_updated_at ?? node.created_at;
  services.db.history.insert({
    uuid: randomUUID(),
    node_uuid: node.uuid,
    created_at: now(services),
    severity,
    event: textOf(services, entry),
    event_type: entry.eventType,
    conductor: services.host,
    user: entry.user ?? null,
    state: node.provision_state,
    target_provision_state: node.target_provision_state,
    duration_seconds: since === null ? null : Math.floor(services.clock.age(Date.parse(since)) / 1000),
  });
}
