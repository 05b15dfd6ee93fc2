// The commands of phases that the daemon does not have yet: it refuses them, and says so. A phase that comes leaves this list.
import assert from 'node:assert/strict';
import type { Scenario, Scenarios } from './scenario.ts';

const STEPS = '[{"interface":"bios","step":"apply_configuration","args":{}}]';

interface Refusal {
  /** The node's, in which the command is given. */
  readonly state: 'manageable' | 'available';
  /** After the node. */
  readonly words?: string;
  readonly message: RegExp;
}

const impossible = (verb: string) =>
  new RegExp(`"${verb}" can not be performed on node .* while it is in state "available".*400`);
const missing = (verb: string) => new RegExp(`does not support ${verb}.*400`);

const phasesToCome: Readonly<Record<string, Refusal>> = {
  adopt: { state: 'manageable', message: missing('adopt') },
  clean: { state: 'manageable', words: `--clean-steps ${STEPS}`, message: missing('clean') },
  deploy: { state: 'available', words: '--config-drive {"meta_data":{"a":1}}', message: missing('active') },
  // nothing leads to the states that these start from yet
  rebuild: { state: 'available', message: impossible('rebuild') },
  rescue: { state: 'available', words: '--rescue-password s3cret', message: impossible('rescue') },
  service: { state: 'available', words: `--service-steps ${STEPS}`, message: impossible('service') },
  undeploy: { state: 'available', message: impossible('deleted') },
  unhold: { state: 'available', message: impossible('unhold') },
  unrescue: { state: 'available', message: impossible('unrescue') },
};

const isRefused =
  (command: string, { state, words = '', message }: Refusal): Scenario =>
  async ({ refused }, site) => {
    const { uuid } = await site.node({}, state);
    assert.match(await refused(`node ${command} ${uuid} ${words}`.trim()), message);
    assert.partialDeepStrictEqual(await site.daemon.node(uuid), {
      provision_state: state,
      target_provision_state: null,
      last_error: null,
    });
  };

export const phases: Scenarios = Object.fromEntries(
  Object.entries(phasesToCome).map(([command, refusal]) => [`node ${command}`, isRefused(command, refusal)]),
);
