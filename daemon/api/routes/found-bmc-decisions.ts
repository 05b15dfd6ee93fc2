// /v1/found_bmcs/{bmc}/accept and /continue: what an operator decides about the machine of a BMC that was found.
import { continueMachine, recognisedAs } from '../../conductor/take-in/decide.ts';
import { type Route, route } from '../../http/route.ts';
import { findFoundBmc } from '../resource-identifiers.ts';
import { createExpected, expectedBodies } from './expected-machines.ts';

const bmc = '/v1/found_bmcs/:bmc';

export const foundBmcDecisionRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: `${bmc}/accept`,
    since: 1,
    body: { json: expectedBodies.postSchema },
    answers: { 202: null },
    handler({ services, named, body, minor }) {
      const found = named('bmc', findFoundBmc);
      const given = expectedBodies.fromPost(body ?? {}, minor);
      createExpected(services, { ...given, ...recognisedAs(found) });
      services.takeIn.wake(found.uuid);
      return { status: 202 };
    },
  }),
  route({
    method: 'POST',
    path: `${bmc}/continue`,
    since: 1,
    answers: { 202: null },
    handler({ services, named }) {
      continueMachine(services, named('bmc', findFoundBmc));
      return { status: 202 };
    },
  }),
];
