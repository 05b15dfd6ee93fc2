// The commands that start a phase such as cleaning or deployment, or continue one. Each is run with one option.
import { isCarriedOut, type PhaseVerb } from '../phases.ts';
import type { Scenario, Scenarios } from './scenario.ts';

const STEPS = '[{"interface":"power","step":"reboot"}]';

const commands: Readonly<Record<string, readonly [verb: PhaseVerb, words: string]>> = {
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

const succeeds =
  (command: string, verb: PhaseVerb, words: string): Scenario =>
  ({ done }, site) =>
    isCarriedOut(site, verb, (uuid) => done(`node ${command} ${uuid} ${words}`));

export const phases: Scenarios = Object.fromEntries(
  Object.entries(commands).map(([command, [verb, words]]) => [
    `node ${command}`,
    succeeds(command, verb, words),
  ]),
);
