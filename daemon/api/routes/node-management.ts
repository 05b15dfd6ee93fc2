// /v1/nodes/{node}/management and /maintenance.
import {
  clearMaintenance,
  getBootDevice,
  setBootDevice,
  setMaintenance,
  supportedBootDevices,
} from '../../conductor/node-actions.ts';
import { bootDevices, isBootDevice } from '../../model/boot-devices.ts';
import { fault } from '../../model/faults.ts';
import { takeArguments } from '../arguments.ts';
import { findNode } from '../node-identifiers.ts';
import { type ApiRequest, type Reply, type Route, route } from '../route.ts';

const BOOT_DEVICE = '/v1/nodes/:node/management/boot_device';
const MAINTENANCE = '/v1/nodes/:node/maintenance';

export const nodeManagementRoutes: readonly Route[] = [
  route({ method: 'GET', path: BOOT_DEVICE, since: 1, handler: showBootDevice }),
  route({ method: 'PUT', path: BOOT_DEVICE, since: 1, body: 'arguments', handler: changeBootDevice }),
  route({ method: 'GET', path: `${BOOT_DEVICE}/supported`, since: 1, handler: listBootDevices }),
  route({ method: 'PUT', path: MAINTENANCE, since: 1, body: 'arguments', handler: enterMaintenance }),
  route({ method: 'DELETE', path: MAINTENANCE, since: 1, handler: leaveMaintenance }),
];

const uuidOf = ({ services, parameters, minor }: ApiRequest): string =>
  findNode(services, parameters['node'] ?? '', minor).uuid;

async function showBootDevice(request: ApiRequest): Promise<Reply> {
  return { status: 200, body: await getBootDevice(request.services, request.caller, uuidOf(request)) };
}

function listBootDevices(request: ApiRequest): Reply {
  const devices = supportedBootDevices(request.services, request.caller, uuidOf(request));
  return { status: 200, body: { supported_boot_devices: devices } };
}

async function changeBootDevice(request: ApiRequest): Promise<Reply> {
  const { boot_device: device, persistent } = takeArguments(request.body, {
    boot_device: { kind: 'text', required: true },
    persistent: { kind: 'flag' },
  });
  if (!isBootDevice(device)) {
    throw fault('InvalidParameter', {
      name: 'boot_device',
      reason: `${device} is not one of ${bootDevices.join(', ')}`,
    });
  }
  await setBootDevice(request.services, request.caller, uuidOf(request), {
    device,
    persistent: persistent === true,
  });
  return { status: 204 };
}

async function enterMaintenance(request: ApiRequest): Promise<Reply> {
  const { reason } = takeArguments(request.body, { reason: { kind: 'text' } });
  await setMaintenance(request.services, request.caller, uuidOf(request), reason ?? null);
  return { status: 202 };
}

async function leaveMaintenance(request: ApiRequest): Promise<Reply> {
  await clearMaintenance(request.services, request.caller, uuidOf(request));
  return { status: 202 };
}
