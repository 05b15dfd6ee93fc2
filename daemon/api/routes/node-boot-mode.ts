// /v1/nodes/{node}/states/boot_mode and secure_boot.
import { setBootMode, setSecureBoot } from '../../conductor/boot-mode.ts';
import { bootModes, isBootMode } from '../../model/boot-modes.ts';
import { fault } from '../../model/faults.ts';
import { takeArguments } from '../arguments.ts';
import { accepted, nodeOf } from '../node-request.ts';
import { type ApiRequest, type Reply, type Route, route } from '../route.ts';

const STATES = '/v1/nodes/:node/states';
const put = { method: 'PUT', since: 76, body: 'arguments' } as const;

export const nodeBootModeRoutes: readonly Route[] = [
  route({ ...put, path: `${STATES}/boot_mode`, handler: changeBootMode }),
  route({ ...put, path: `${STATES}/secure_boot`, handler: changeSecureBoot }),
];

async function changeBootMode(request: ApiRequest): Promise<Reply> {
  const { target } = takeArguments(request.body, { target: { kind: 'text', required: true } });
  if (!isBootMode(target)) {
    throw fault('InvalidParameter', {
      name: 'target',
      reason: `${target} is not one of ${bootModes.join(', ')}`,
    });
  }
  await setBootMode(request.services, request.caller, nodeOf(request).uuid, target);
  return accepted(request, 'states');
}

async function changeSecureBoot(request: ApiRequest): Promise<Reply> {
  const { target } = takeArguments(request.body, { target: { kind: 'flag', required: true } });
  await setSecureBoot(request.services, request.caller, nodeOf(request).uuid, target);
  return accepted(request, 'states');
}
