// A daemon with a machine whose steps end as scripted, and the record of its operations.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync } from 'node:fs';
import { hostOf } from '../../../daemon/db/copies/fence.ts';
import { createDatabase } from '../../../daemon/db/database.ts';
import type { ProvisionState } from '../../../daemon/model/states/provision-states.ts';
import { ABLE_PLUGINS } from '../daemon/able-session.ts';
import {
  type Answer,
  type Ending,
  type InProcessDaemon,
  type InProcessOptions,
  startInProcess,
} from '../daemon/in-process-daemon.ts';

export interface SteppingSession extends InProcessDaemon {
  /** Creates a node of the stepping hardware type in `state`, powered on. Resolves to its UUID. */
  stepping(state: ProvisionState, fields?: object): Promise<string>;
  /** Requests a provision state with PUT states/provision, and returns the answer. */
  verb(node: string, target: string, more?: object): Promise<Answer>;
  /** The machine's operations in order. */
  notes(node: string): readonly string[];
  /** Provision state and target after all work has ended. */
  state(node: string): Promise<readonly (string | null)[]>;
}

export async function startStepping(test: Ending, options: InProcessOptions = {}): Promise<SteppingSession> {
  const { ini = '', ...rest } = options;
  const daemon = await startInProcess(test, {
    loops: true,
    ...rest,
    ini: `enabled_hardware_types = fake-hardware,stepping,manual-management
[plugins]
path = ${ABLE_PLUGINS}
[agent]
require_tls = false
callback_networks = 127.0.0.0/8
[conductor]
sync_power_state_interval = 0
node_locked_retry_attempts = 1
${ini}`,
  });
  return {
    ...daemon,
    async stepping(state, fields = {}) {
      const { uuid } = await daemon.createNode({ driver: 'stepping', ...fields });
      daemon.services.db.nodes.update(uuid, { provision_state: state, power_state: 'power on' });
      return uuid;
    },
    verb: (node, target, more = {}) =>
      daemon.request('PUT', `/v1/nodes/${node}/states/provision`, { body: { target, ...more } }),
    notes(node) {
      const notes = daemon.node(node).driver_internal_info['notes'] ?? [];
      assert.ok(Array.isArray(notes));
      return notes as readonly string[];
    },
    async state(node) {
      await daemon.idle();
      const { provision_state, target_provision_state } = daemon.node(node);
      return [provision_state, target_provision_state];
    },
  };
}

/** Copies the session's state as a power cut would leave it now, and starts another daemon on the copy. */
export function afterCrash(
  test: Ending,
  { stateDirectory, clock }: SteppingSession,
): Promise<SteppingSession> {
  const left = mkdtempSync(`${stateDirectory}-`);
  cpSync(stateDirectory, left, { recursive: true });
  stayAtHome(`${left}/ironic-edge.sqlite`);
  return startStepping(test, { stateDirectory: left, clock });
}

/** Makes the copy pass for the original: a real crash does not move the database. */
function stayAtHome(file: string): void {
  const db = createDatabase(file);
  const site = db.quarantine.site();
  if (site !== undefined) db.quarantine.putSite({ ...site, host: hostOf(file) });
  db.close();
}

/** A step of a request, made from a name such as `deploy.wipe`. */
export function step(name: string, args?: object, more: object = {}): object {
  const [type, ...rest] = name.split('.');
  return { interface: type, step: rest.join('.'), ...(args && { args }), ...more };
}
