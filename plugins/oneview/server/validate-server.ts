// Checks that OneView has the node's server and server profile template, that the server matches the node's capabilities and
// ports, and that the template matches the server.
import { fault, isJsonObject, type JsonObject, stateFacts, type Task } from '#plugin-api';
import { textOf } from '../appliance/answer.ts';
import { readFromAppliance, type Reading } from '../appliance/appliance.ts';
import { adapterMacs, matchingPort } from './boot-macs.ts';
import { iloMacs } from './ilo.ts';
import { isSameUri } from './ownership.ts';
import { type WantedServer, wantedOf } from './node-fields.ts';
import { inUse, ownerOf } from './server-hardware.ts';

/**
 * Returns the server. Throws InvalidParameter with the first thing that does not fit or cannot be read. Throws BmcFailure when
 * the MAC addresses of the server must come from its iLO and the iLO does not answer.
 */
export async function validateServer(task: Task): Promise<JsonObject> {
  const wanted = wantedOf(task.node);
  const server = await readNamed(task, 'server_hardware_uri', { url: wanted.server, kind: 'server' });
  refuse(serverProblem(server, wanted));
  const template = await readNamed(task, 'server_profile_template_uri', {
    url: wanted.template,
    kind: 'template',
  });
  refuse(templateProblem(template, server));
  await checkPorts(task, server);
  warnOfFirstConnection(task, template);
  return server;
}

/** Like `validateServer`, but also refuses a server that a OneView user has, unless the node is being verified or inspected. */
export async function validateFreeServer(task: Task): Promise<void> {
  const server = await validateServer(task);
  const { work } = stateFacts(task.node);
  if (work === 'verify' || work === 'inspect') return;
  const owner = await ownerOf(task, server);
  if (owner.kind === 'oneview') throw inUse(task.node, owner.profile);
}

interface Problem {
  readonly name: string;
  readonly reason: string;
}

function refuse(problem: Problem | undefined): void {
  if (problem !== undefined) throw fault('InvalidParameter', problem);
}

async function readNamed(task: Task, name: string, wanted: Omit<Reading, 'operation'>): Promise<JsonObject> {
  try {
    return await readFromAppliance(task, { operation: `Reading ${name}`, ...wanted });
  } catch (error) {
    task.signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw fault(
      'InvalidParameter',
      { name, reason: `${wanted.url} cannot be read: ${reason}` },
      { cause: error },
    );
  }
}

export function serverProblem(server: JsonObject, wanted: WantedServer): Problem | undefined {
  const type = textOf(server, 'serverHardwareTypeUri');
  if (!isSameUri(type, wanted.hardwareType))
    return {
      name: 'capability server_hardware_type_uri',
      reason: `it is ${wanted.hardwareType}, but the server has the type ${type}`,
    };
  const group = textOf(server, 'serverGroupUri');
  if (wanted.enclosureGroup === undefined || isSameUri(group, wanted.enclosureGroup)) return undefined;
  return {
    name: 'capability enclosure_group_uri',
    reason: `it is ${wanted.enclosureGroup}, but the server is in ${group || 'no enclosure group'}`,
  };
}

export function templateProblem(template: JsonObject, server: JsonObject): Problem | undefined {
  const reason =
    difference(template, server, 'serverHardwareTypeUri', 'serverHardwareTypeUri') ??
    difference(template, server, 'enclosureGroupUri', 'serverGroupUri') ??
    bootProblem(template);
  return reason === undefined ? undefined : { name: 'capability server_profile_template_uri', reason };
}

function difference(
  template: JsonObject,
  server: JsonObject,
  ofTemplate: string,
  ofServer: string,
): string | undefined {
  const [one, other] = [textOf(template, ofTemplate), textOf(server, ofServer)];
  if (isSameUri(one, other)) return undefined;
  return `${ofTemplate} of the template is ${one || 'not set'}, but ${ofServer} of the server is ${other || 'not set'}`;
}

function bootProblem(template: JsonObject): string | undefined {
  const { boot, macType } = template;
  if (!isJsonObject(boot) || boot['manageBoot'] !== true)
    return 'the template does not manage the boot order (manageBoot)';
  if (macType === 'Physical') return undefined;
  return `the template has macType ${JSON.stringify(macType ?? null)}; expected Physical, because other addresses are not known before a profile is applied`;
}

async function checkPorts(task: Task, server: JsonObject): Promise<void> {
  if (task.ports.length === 0) return;
  const known = adapterMacs(server);
  const macs = known.length > 0 ? known : await iloMacs(task);
  const matching = matchingPort(macs, task.ports);
  if (matching === undefined)
    throw fault('InvalidParameter', {
      name: 'ports of the node',
      reason: `none has the address with which the server boots: ${macs[0] ?? 'OneView and the iLO name none'}`,
    });
  if (matching === 'last')
    task.log.warn(
      { expected: macs[0] },
      "a port has the address of the server's last adapter, not of its first",
    );
}

function warnOfFirstConnection(task: Task, template: JsonObject): void {
  const settings = template['connectionSettings'];
  const connections = (isJsonObject(settings) ? settings : template)['connections'];
  const [first] = Array.isArray(connections) ? connections.filter(isJsonObject) : [];
  const boot = first?.['boot'];
  if (first === undefined || (isJsonObject(boot) && boot['priority'] === 'Primary')) return;
  task.log.warn(
    { template: template['uri'] },
    'the first connection of the server profile template has no boot priority Primary: the server may boot from another network',
  );
}
