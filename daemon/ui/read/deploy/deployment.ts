// Reads all that the page Deploy shows: what was typed, what is wrong with it, what could be chosen, and what would happen.
import { describedInstance } from '../../../conductor/images/instance-request.ts';
import { findNode } from '../../../conductor/records/find-record.ts';
import type { Services } from '../../../conductor/services.ts';
import type { Visit } from '../../../http/pages.ts';
import { Fault, fault } from '../../../model/faults.ts';
import type { InstanceProfile } from '../../../model/instance/profile.ts';
import { MAXIMUM_MINOR } from '../../../model/microversions.ts';
import { next } from '../../../model/states/provision-states.ts';
import { verbOf } from '../../../model/states/verbs.ts';
import { deployCommand } from '../../actions/deploy/deploy-command.ts';
import {
  type DeployFields,
  deployFieldsIn,
  type DeployRequest,
  deployRequest,
  type DeployVerb,
} from '../../actions/deploy/deploy-fields.ts';
import { plural } from '../../kit/markup.ts';
import type { ReadServices } from '../services.ts';
import { type WrongFields, wrongFields } from './deploy-checks.ts';
import { deployMachine, type DeployMachine, type DeployOffers, readDeployOffers } from './deploy-machines.ts';
import { type DeployPlans, readDeployPlans } from './deploy-plan.ts';

export interface DeployForm {
  readonly machines: readonly DeployMachine[];
  readonly fields: DeployFields;
  readonly offers: DeployOffers;
  readonly wrong: WrongFields;
  /** The profile that was chosen, if there is one of this name. */
  readonly profile: InstanceProfile | undefined;
  /** The names that the machines get, as far as the pattern is valid. */
  readonly hostnames: readonly string[];
  readonly request: DeployRequest;
  /** undefined while a field is wrong. */
  readonly plans: DeployPlans | undefined;
  readonly command: string;
  /** What the visitor types to go on. */
  readonly word: string;
}

/** An address of a page has room for so many machines. */
const MOST_DEPLOYED = 200;

/** Throws InvalidParameter for no machine and for too many, NodeNotFound and InvalidUuidOrName. */
export async function readDeployment(
  services: Services,
  visit: Pick<Visit, 'call'>,
  form: URLSearchParams,
): Promise<DeployForm> {
  const machines = chosenMachines(services, form.getAll('node'));
  const fields = deployFieldsIn(form);
  const request = deployRequest(fields.verb ?? fittingVerb(machines), fields);
  const wrong = wrongFields(services, request, machines);
  const isRight = Object.keys(wrong).length === 0;
  const offers = readDeployOffers(services, machines);
  const profile = offers.profiles.find(({ name }) => name === fields.profile);
  return {
    machines,
    fields,
    offers,
    wrong,
    profile,
    hostnames: hostnamesOf(services, machines, fields.hostname || (profile?.hostname ?? '')),
    request,
    plans: isRight ? await readDeployPlans(services, visit, request, machines) : undefined,
    command: deployCommand(
      request,
      machines.map(({ label }) => label),
    ),
    word: machines.length === 1 ? (machines[0]?.label ?? '') : plural(machines.length, 'machine'),
  };
}

function chosenMachines(services: Services, chosen: readonly string[]): readonly DeployMachine[] {
  const names = [...new Set(chosen)];
  if (names.length === 0)
    throw fault('InvalidParameter', {
      name: 'node',
      reason: 'no machine is chosen; go back to Machines, choose some, and then Deploy',
    });
  if (names.length > MOST_DEPLOYED)
    throw fault('InvalidParameter', {
      name: 'node',
      reason: `${names.length} machines are chosen; choose at most ${MOST_DEPLOYED} at a time`,
    });
  const nodes = names.map((name) => findNode(services, name, MAXIMUM_MINOR));
  return [...new Map(nodes.map((node) => [node.uuid, node])).values()].map((node) =>
    deployMachine(services, node),
  );
}

/** `rebuild` only if all machines have instances that can be rebuilt, and not all could get a new one. */
function fittingVerb(machines: readonly DeployMachine[]): DeployVerb {
  const can = (verb: DeployVerb) =>
    machines.every(({ node }) => next(node.provision_state, verbOf(verb).event) !== undefined);
  return !can('active') && can('rebuild') ? 'rebuild' : 'active';
}

function hostnamesOf(
  services: Pick<ReadServices, 'db'>,
  machines: readonly DeployMachine[],
  pattern: string,
): readonly string[] {
  if (pattern === '') return [];
  try {
    return machines.map(({ node }, index) => {
      const place = { number: index + 1, machines: machines.length };
      const { configdrive } = describedInstance(services, node, { hostname: pattern, ...place });
      return (configdrive as { readonly meta_data: { readonly hostname: string } }).meta_data.hostname;
    });
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}
