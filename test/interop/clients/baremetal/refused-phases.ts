// The commands of phases to come, as the client words each.
import assert from 'node:assert/strict';
import { phasesToCome, type VerbToCome } from '../phases-to-come.ts';
import type { Scenario, Scenarios } from './scenario.ts';

const STEPS = '[{"interface":"bios","step":"apply_configuration","args":{}}]';

const commands: Readonly<Record<string, readonly [verb: VerbToCome, words: string]>> = {
  adopt: ['adopt', '--wait 5'],
  clean: ['clean', `--clean-steps ${STEPS}`],
  deploy: ['active', '--config-drive {"meta_data":{"a":1}}'],
  rebuild: ['rebuild', '--config-drive {"meta_data":{"a":1}}'],
  undeploy: ['deleted', '--wait 5'],
  rescue: ['rescue', '--rescue-password s3cret'],
  unrescue: ['unrescue', '--wait 5'],
  service: ['service', `--service-steps ${STEPS}`],
  unhold: ['unhold', '--provision-state unhold'],
};

const isRefused =
  (command: string, verb: VerbToCome, words: string): Scenario =>
  async ({ refused }, site) => {
    const { state, message } = phasesToCome[verb];
    const { uuid } = await site.node({}, state);
    const said = await refused(`node ${command} ${uuid} ${words}`);
    assert.match(said, message);
    assert.match(said, /400/);
    assert.partialDeepStrictEqual(await site.daemon.node(uuid), {
      provision_state: state,
      target_provision_state: null,
      last_error: null,
    });
  };

export const phases: Scenarios = Object.fromEntries(
  Object.entries(commands).map(([command, [verb, words]]) => [
    `node ${command}`,
    isRefused(command, verb, words),
  ]),
);
