// /v1/nodes/{node}/bmc_password: shows the login of the node's BMC, and gives the BMC a new password, or a user of the daemon's own.
import { makeBmcLogin } from '../../conductor/hardware/bmc-login/make-login.ts';
import { bmcLoginOf } from '../../conductor/hardware/bmc-login/stored-login.ts';
import { nodeOf } from '../../conductor/records/find-record.ts';
import { openTask } from '../../conductor/tasks/run-task.ts';
import { type Route, route } from '../../http/route.ts';
import { orNull, textSchema, wholeSchema } from '../../http/schema-parts.ts';

const shared = { path: '/v1/nodes/:node/bmc_password', since: 1, secret: true } as const;
const textOrNull = orNull(textSchema);

export const nodeBmcPasswordRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'GET',
    answers: {
      200: wholeSchema({
        username: textOrNull,
        password: textOrNull,
        pending: textOrNull,
        pending_username: textOrNull,
      }),
    },
    handler: (request) => ({ status: 200, body: bmcLoginOf(openTask(request, nodeOf(request).uuid)) }),
  }),
  route({
    ...shared,
    method: 'PUT',
    body: { parameters: { username: { kind: 'text' } } },
    answers: { 204: null },
    async handler(request) {
      await makeBmcLogin(request, nodeOf(request).uuid, request.given.username ?? null);
      return { status: 204 };
    },
  }),
];
