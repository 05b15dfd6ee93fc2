// The fields of a node that name its server in OneView, and the fields in which the driver keeps its own state.
import {
  driverInfoText,
  fault,
  invalidDriverInfo,
  type JsonObject,
  isJsonObject,
  type Node,
  parseCapabilities,
  type PropertySpec,
  requireDriverInfo,
  type Task,
} from '#plugin-api';
import { textOf } from '../appliance/answer.ts';

/** The fields of `driver_info`. */
export const driverInfo = {
  server_hardware_uri: {
    description:
      'URI of the server in OneView, as in /rest/server-hardware/30373237-3132-4D32-3235-303930524D57.',
    required: true,
    example: '/rest/server-hardware/30373237-3132-4D32-3235-303930524D57',
  },
  applied_server_profile_uri: {
    description:
      'URI of the server profile that the driver has applied to the server. The driver sets it while the daemon uses the server.',
  },
  dynamic_allocation: {
    description:
      'false on a node of an Ironic that kept a server profile on each server at all times. Only the migration ("ironic-edge oneview migrate") reads it.',
  },
} as const satisfies Readonly<Record<string, PropertySpec>>;

const PLACE = 'Not in driver_info: it belongs into properties/capabilities, as in NAME:URI,NAME:URI.';

/** The fields of `driver_info`, and the capabilities that name resources of OneView. */
export const oneviewProperties = {
  ...driverInfo,
  server_hardware_type_uri: {
    description: `URI of the server hardware type of the server in OneView. ${PLACE}`,
    required: true,
  },
  server_profile_template_uri: {
    description: `URI of the server profile template in OneView that the profiles of the node are made of. ${PLACE}`,
    required: true,
  },
  enclosure_group_uri: {
    description: `URI of the enclosure group of the server in OneView; checked if it is given. ${PLACE}`,
  },
} as const satisfies Readonly<Record<string, PropertySpec>>;

/** What `driver_info` and the capabilities of a node say about its server: URIs of OneView. */
export interface WantedServer {
  readonly server: string;
  readonly hardwareType: string;
  readonly template: string;
  /** Undefined when the node names none. */
  readonly enclosureGroup: string | undefined;
}

/** Returns the URI of the node's server. Throws DriverInfoMissing or DriverInfoInvalid. */
export function serverHardwareOf(node: Node): string {
  requireDriverInfo(node, driverInfo);
  driverInfoText(node, 'applied_server_profile_uri', '');
  return uriIn(node, 'server_hardware_uri', '/rest/server-hardware/');
}

/** Throws DriverInfoMissing or DriverInfoInvalid for a wrong field of `driver_info`, InvalidParameter for wrong capabilities. */
export function wantedOf(node: Node): WantedServer {
  const server = serverHardwareOf(node);
  const capabilities = parseCapabilities(node.properties['capabilities'] ?? '');
  if (capabilities === undefined)
    throw fault('InvalidParameter', {
      name: 'properties/capabilities',
      reason:
        'expected text such as server_hardware_type_uri:/rest/...,server_profile_template_uri:/rest/...',
    });
  const of = (name: string) => capabilities.get(name) ?? '';
  const required = ['server_hardware_type_uri', 'server_profile_template_uri'] as const;
  const missing = required.filter((name) => of(name) === '' || of(name) === 'null');
  if (missing.length > 0)
    throw fault('InvalidParameter', {
      name: 'properties/capabilities',
      reason: `${missing.join(' and ')} missing; set them to the URIs of the server hardware type and of the server profile template in OneView`,
    });
  const group = of('enclosure_group_uri');
  return {
    server,
    hardwareType: of('server_hardware_type_uri'),
    template: templateIn(of('server_profile_template_uri')),
    enclosureGroup: ['', 'null', 'None'].includes(group) ? undefined : group,
  };
}

const TEMPLATES = '/rest/server-profile-templates/';

function templateIn(uri: string): string {
  if (isUri(uri, TEMPLATES)) return uri;
  throw fault('InvalidParameter', {
    name: 'properties/capabilities',
    reason: `server_profile_template_uri is ${JSON.stringify(uri)}; expected a URI as in ${TEMPLATES}f7aa5f1e`,
  });
}

function uriIn(node: Node, name: string, prefix: string): string {
  const uri = driverInfoText(node, name, '');
  if (isUri(uri, prefix)) return uri;
  throw invalidDriverInfo(node, name, `a URI as in ${prefix}30373237-3132`);
}

const isUri = (uri: string, prefix: string): boolean =>
  uri.startsWith(prefix) && /^[\w-]+$/.test(uri.slice(prefix.length));

/** The URI of the profile that the driver has applied; empty when it has applied none. */
export const appliedProfile = (node: Node): string => driverInfoText(node, 'applied_server_profile_uri', '');

const INTENT = 'oneview_profile_intent';

/** A profile that the driver is creating. Stored before the request, so that the profile is recognised after a crash. */
export interface Intent {
  readonly name: string;
  /** The URI of the task that creates the profile; empty until the appliance has named the task. */
  readonly task: string;
}

export function intentOf({ driver_internal_info: info }: Node): Intent | undefined {
  const intent = info[INTENT];
  if (!isJsonObject(intent)) return undefined;
  return { name: textOf(intent, 'name'), task: textOf(intent, 'task') };
}

export const storeIntent = (task: Task, { name, task: uri }: Intent): Promise<void> =>
  task.update({
    driver_internal_info: { ...task.node.driver_internal_info, [INTENT]: { name, task: uri } },
  });

/** Stores the URI of the applied profile (undefined: there is none any more) and removes the intent, in one change. */
export function recordProfile(task: Task, profile: string | undefined): Promise<void> {
  const { applied_server_profile_uri: _, ...rest } = task.node.driver_info;
  const { [INTENT]: __, ...info } = task.node.driver_internal_info;
  const driver_info: JsonObject =
    profile === undefined ? rest : { ...rest, applied_server_profile_uri: profile };
  return task.update({ driver_info, driver_internal_info: info });
}

/**
 * The key of driver_internal_info that is set when a server could not be taken because a OneView user has it. The periodic work
 * looks for this key.
 */
export const TAKEN_MARK = 'oneview_error';
const MARK_TEXT = 'server hardware allocation error';

export const isMarkedTaken = ({ driver_internal_info: info }: Node): boolean =>
  info[TAKEN_MARK] === MARK_TEXT;

export async function markTaken(task: Task, isTaken: boolean): Promise<void> {
  if (isMarkedTaken(task.node) === isTaken) return;
  const { [TAKEN_MARK]: _, ...rest } = task.node.driver_internal_info;
  await task.update({ driver_internal_info: isTaken ? { ...rest, [TAKEN_MARK]: MARK_TEXT } : rest });
}
