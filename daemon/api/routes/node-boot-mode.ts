// /v1/nodes/{node}/states/boot_mode and secure_boot.
import { nodeOf } from '../../conductor/records/find-record.ts';
import { setBootMode, setSecureBoot } from '../../conductor/hardware/boot-mode.ts';
import { bootModes } from '../../model/machine/boot-modes.ts';
import { type Route, route } from '../../http/route.ts';
import { accepted } from './node-states.ts';

const STATES = '/v1/nodes/:node/states';
const put = { method: 'PUT', since: 76, answers: { 202: null } } as const;

export const nodeBootModeRoutes: readonly Route[] = [
  route({
    ...put,
    path: `${STATES}/boot_mode`,
    body: { parameters: { target: { kind: 'text', required: true, values: bootModes } } },
    async handler(request) {
      await setBootMode(request, nodeOf(request).uuid, request.given.target);
      return accepted(request, 'states');
    },
  }),
  route({
    ...put,
    path: `${STATES}/secure_boot`,
    body: { parameters: { target: { kind: 'flag', required: true } } },
    async handler(request) {
      await setSecureBoot(request, nodeOf(request).uuid, request.given.target);
      return accepted(request, 'states');
    },
  }),
];
