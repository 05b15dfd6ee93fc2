// Checks the object of an entry point at run time, because a plugin may be plain JavaScript. Runs none of its code but getters.
import { interfaceTypes, type InterfaceType } from '../../model/machine/interface-types.ts';
import { reasonOf } from '../../model/faults.ts';
import { isJsonObject } from '../../model/json.ts';
import { isSecretKey } from '../../model/secrets.ts';
import { contract } from '../../plugin-api/contract/interfaces.ts';
import type { Members } from '../../plugin-api/contract/members.ts';
import type { EntryPointGroup } from '../manifests/manifest.ts';
import { periodicProblems, stepProblems, vendorMethodProblems } from './member-problems.ts';

type Exported = Readonly<Record<string, unknown>>;

/** Returns each problem as a predicate whose subject is the object's name, such as `lacks the function validate`. */
export function exportProblems(group: EntryPointGroup, value: Exported): readonly string[] {
  try {
    return problemsIn(group, value);
  } catch (error) {
    return [`has a member that throws when it is read: ${reasonOf(error)}`];
  }
}

function problemsIn(group: EntryPointGroup, value: Exported): readonly string[] {
  if (group === 'ironic.inspection.hooks') return hookProblems(value);
  if (group === 'ironic.drivers') return classicProblems(value);
  return interfaceProblems(group.slice('ironic.hardware.interfaces.'.length) as InterfaceType, value);
}

function hookProblems({ preprocess, call, dependencies = [] }: Exported): readonly string[] {
  const phases = [preprocess, call].filter((phase) => phase !== undefined);
  const fits = phases.length > 0 && phases.every((phase) => typeof phase === 'function');
  const named = Array.isArray(dependencies) && dependencies.every((name) => typeof name === 'string');
  return [
    ...(fits ? [] : ['lacks a function preprocess or call']),
    ...(named ? [] : ['has dependencies that are not a list of hook names']),
  ];
}

function classicProblems(value: Exported): readonly string[] {
  const types: readonly string[] = interfaceTypes;
  return Object.entries(value).flatMap(([name, inner]) => {
    if (!types.includes(name)) return [`has ${name}, which is not an interface type`];
    if (typeof inner === 'string') return [];
    if (!isJsonObject(inner)) return [`has ${name}, which is neither an interface nor the name of one`];
    return interfaceProblems(name as InterfaceType, inner).map(
      (problem) => `has a ${name} interface that ${problem}`,
    );
  });
}

export function interfaceProblems(type: InterfaceType, value: Exported): readonly string[] {
  const { properties, steps, periodic, nodeMethods, driverMethods } = value;
  if ('extends' in value) return extensionProblems(value);
  return [
    ...(isJsonObject(properties) ? propertyProblems(properties) : []),
    ...memberProblems(contract[type], value),
    ...eachProblem('step', steps, stepProblems),
    ...eachProblem('periodic work', periodic, periodicProblems),
    ...eachProblem('node method', nodeMethods, vendorMethodProblems),
    ...eachProblem('driver method', driverMethods, vendorMethodProblems),
  ];
}

function extensionProblems({ extends: base, make }: Exported): readonly string[] {
  const fits = typeof base === 'string' && typeof make === 'function';
  return fits
    ? []
    : ['has the member extends, so extends must be the name of an interface and make must be a function'];
}

function propertyProblems(properties: Exported): readonly string[] {
  return Object.entries(properties).flatMap(([name, spec]) => {
    if (!isJsonObject(spec) || typeof spec['description'] !== 'string' || spec['description'] === '')
      return [`has the property ${name} without a description`];
    return spec['secret'] === true && !isSecretKey(name)
      ? [
          `has the secret property ${name}, whose value would be shown, because secrets are recognized by name. Its name must contain password, secret or token`,
        ]
      : [];
  });
}

function memberProblems(members: Members, value: Exported): readonly string[] {
  return Object.entries(members).flatMap(([name, { kind, required, shape }]) => {
    const member = value[name];
    if (member === undefined)
      return required ? [`lacks ${kind === 'value' ? '' : 'the function '}${name}`] : [];
    if (kind === 'value') return shape.admits(member) ? [] : [`has ${name}, which is not ${shape.expected}`];
    return typeof member === 'function' ? [] : [`has ${name}, which is not a function`];
  });
}

function eachProblem(
  kind: string,
  all: unknown,
  problemsOf: (name: string, value: Exported) => readonly string[],
): readonly string[] {
  if (all === undefined) return [];
  if (!isJsonObject(all)) return [`has ${kind}s that are not an object keyed by name`];
  return Object.entries<unknown>(all).flatMap(([name, value]) =>
    (isJsonObject(value) ? problemsOf(name, value) : ['is not an object']).map(
      (problem) => `has the ${kind} ${name}, which ${problem}`,
    ),
  );
}
