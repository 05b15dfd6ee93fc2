// /v1/nodes/{node}/states/boot_mode and secure_boot.
import { setBootMode, setSecureBoot } from '../../conductor/hardware/boot-mode.ts';
import { bootModes } from '../../model/machine/boot-modes.ts';
import { accepted, nodeOf } from '../node-request.ts';
import { type Route, route } from '../../http/route.ts';

const STATES = '/v1/nodes/:node/states';
const put = { method: 'PUT', since: 76, answers: { 202: null } } as const;

export const nodeBootModeRoutes: readonly Route[] = [
  route({
    ...put,
    path: `${STATES}/boot_mode`,
    body: { arguments: { target: { kind: 'text', required: true, values: bootModes } } },
    async handler(request) {
      await setBootMode(request, nodeOf(request).uuid, request.given.target);
      return accepted(request, 'states');
    },
  }),
  route({
    ...put,
    path: `${STATES}/secure_boot`,
    body: { arguments: { target: { kind: 'flag', required: true } } },
    async handler(request) {
      await setSecureBoot(request, nodeOf(request).uuid, request.given.target);
      return accepted(request, 'states');
    },
  }),
];
