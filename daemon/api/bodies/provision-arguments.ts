// The arguments of provision requests: which verb takes which argument, since which version, and in what form.
import type { Parameters, Taken } from '../../http/parameters.ts';
import type { ProvisionRequest } from '../../conductor/flows/provision.ts';
import type { Services } from '../../conductor/services.ts';
import { fault } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import type { RequestedStep, Runbook } from '../../model/steps/step-lists.ts';
import { type ProvisionVerb, provisionVerbs, verbSince } from '../../model/states/verbs.ts';
import { approvedRunbook } from '../approved-runbook.ts';
import { checkedConfigdrive } from './configdrive.ts';
import { checkedInstance } from './instance.ts';
import { checkedDeploySteps, checkedRequestedSteps, refuseDisallowed } from './requested-steps.ts';

const DEPLOY_STEPS_SINCE = 69;
const RUNBOOKS_SINCE = 92;
const judgedLater = { judgedLater: true } as const;

export const provisionParameters = {
  target: { kind: 'text', required: true, values: provisionVerbs, ...judgedLater },
  configdrive: { kind: 'any' },
  instance: { kind: 'any' },
  clean_steps: { kind: 'array', since: 15, ...judgedLater },
  deploy_steps: { kind: 'array', since: DEPLOY_STEPS_SINCE, ...judgedLater },
  service_steps: { kind: 'array', since: 87, ...judgedLater },
  rescue_password: { kind: 'text', since: 38, ...judgedLater },
  disable_ramdisk: { kind: 'flag', since: 70, ...judgedLater },
  runbook: { kind: 'text', since: RUNBOOKS_SINCE, ...judgedLater },
} as const satisfies Parameters;

type ProvisionArguments = Taken<typeof provisionParameters>;

export interface AskedOfNode {
  readonly services: Services;
  readonly minor: number;
  readonly node: Node;
  readonly verb: ProvisionVerb;
  readonly given: { readonly [Name in keyof ProvisionArguments]?: NonNullable<ProvisionArguments[Name]> };
}

/** Returns the arguments without nulls and without empty lists of steps, because these request nothing. */
export function provisionArguments(
  taken: ProvisionArguments,
): AskedOfNode['given'] & Pick<ProvisionArguments, 'target'> {
  const given = Object.entries(taken).filter(([name, value]) => value !== null && !isEmptyList(name, value));
  return Object.fromEntries(given) as ReturnType<typeof provisionArguments>;
}

const isEmptyList = (name: string, value: unknown): boolean =>
  name.endsWith('_steps') && Array.isArray(value) && value.length === 0;

/**
 * For each argument except configdrive, instance and runbook: the verbs that take it, each with the first minor API version in which the verb
 * takes it. The arguments are checked in the order of this list.
 */
const TAKEN_BY: readonly (readonly [
  keyof ProvisionArguments,
  Readonly<Partial<Record<ProvisionVerb, number>>>,
])[] = [
  ['disable_ramdisk', { clean: provisionParameters.disable_ramdisk.since, service: 108 }],
  ['clean_steps', { clean: provisionParameters.clean_steps.since }],
  ['service_steps', { service: provisionParameters.service_steps.since }],
  ['deploy_steps', { active: DEPLOY_STEPS_SINCE, rebuild: DEPLOY_STEPS_SINCE }],
  ['rescue_password', { rescue: provisionParameters.rescue_password.since }],
];

/**
 * Returns the request. If it names a runbook, its steps are those of the runbook, in the order in which they run. Checks in
 * Ironic's order: the config drive and the runbook; whether the verb takes each other argument in this API version; whether this
 * version has the verb for the node's state; the steps themselves and the rescue password.
 */
export function checkedRequest(asked: AskedOfNode): ProvisionRequest {
  const { services, minor, node, verb, given } = asked;
  const instance = instanceOf(asked);
  const runbook = runbookOf(asked);
  refuseForeign(asked);
  refuseTooOld(minor, verbSince(verb, node.provision_state));
  return {
    verb,
    ...instance,
    disableRamdisk: (runbook ?? given).disable_ramdisk ?? false,
    steps: verb === 'clean' || verb === 'service' ? stepsFor(verb, asked, runbook) : [],
    deploySteps: given.deploy_steps === undefined ? [] : checkedDeploySteps(services, given.deploy_steps),
    rescuePassword: verb === 'rescue' ? passwordOf(given) : null,
  };
}

/** Image and config drive are null if the request says nothing of them. */
function instanceOf(asked: AskedOfNode): Pick<ProvisionRequest, 'image' | 'configdrive' | 'instanceInfo'> {
  const { given, verb, minor } = asked;
  const configdrive =
    given.configdrive === undefined ? null : checkedConfigdrive(given.configdrive, verb, minor);
  if (given.instance === undefined) return { image: null, configdrive };
  const described = checkedInstance(asked);
  return { ...described, configdrive: described.configdrive ?? configdrive };
}

function refuseTooOld(minor: number, since: number): void {
  if (minor < since) throw fault('VersionTooOld', { since });
}

const foreign = (name: string, verbs: readonly string[]) =>
  fault('InvalidParameter', { name, reason: `it is only valid with target ${verbs.join(' or ')}` });

function runbookOf({ services, minor, node, verb, given }: AskedOfNode): Runbook | undefined {
  if (given.runbook === undefined) return undefined;
  refuseTooOld(minor, RUNBOOKS_SINCE);
  if (given.clean_steps !== undefined || given.service_steps !== undefined) {
    throw fault('Invalid', { reason: 'Give either a runbook or steps, not both.' });
  }
  if (verb !== 'clean' && verb !== 'service') throw foreign('runbook', ['clean', 'service']);
  return approvedRunbook(services, given.runbook, node, minor);
}

function refuseForeign({ minor, verb, given }: AskedOfNode): void {
  for (const [name, verbs] of TAKEN_BY) {
    if (given[name] === undefined) continue;
    // for this argument the API version is checked before the verb, for all others after the verb
    if (name === 'deploy_steps') refuseTooOld(minor, DEPLOY_STEPS_SINCE);
    const since = verbs[verb];
    if (since === undefined) throw foreign(name, Object.keys(verbs));
    refuseTooOld(minor, since);
  }
}

function stepsFor(
  verb: 'clean' | 'service',
  { services, given }: AskedOfNode,
  runbook: Runbook | undefined,
): readonly RequestedStep[] {
  const name = `${verb}_steps` as const;
  if (runbook !== undefined) {
    refuseDisallowed(services, name, runbook.steps);
    return runbook.steps.toSorted((a, b) => a.order - b.order);
  }
  if (given[name] === undefined) throw fault('MissingParameter', { name: `${name} or runbook` });
  return checkedRequestedSteps(services, name, given[name]);
}

const LONGEST_PASSWORD = 256;

function passwordOf({ rescue_password: password }: AskedOfNode['given']): string {
  if (password === undefined || password.trim() === '')
    throw fault('MissingParameter', { name: 'rescue_password' });
  if (password.length <= LONGEST_PASSWORD) return password;
  throw fault('InvalidParameter', {
    name: 'rescue_password',
    reason: `it has ${password.length} characters; expected up to ${LONGEST_PASSWORD}`,
  });
}
