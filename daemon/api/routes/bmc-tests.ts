// POST /v1/bmc_tests: tries the BMC of a machine before it is enrolled. Nothing is stored.
import { testBmc } from '../../conductor/take-in/test-bmc.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type Route, route } from '../../http/route.ts';
import { listSchema, orNull, textSchema, wholeSchema } from '../../http/schema-parts.ts';

const parameters = {
  address: { kind: 'text', required: true },
  username: { kind: 'text' },
  password: { kind: 'text' },
  driver: { kind: 'text' },
  verify_ca: { kind: 'flag' },
} as const satisfies Parameters;

const resultSchema = wholeSchema(
  {
    driver: orNull(textSchema),
    power: orNull(textSchema),
    product: orNull(textSchema),
    serial_number: orNull(textSchema),
    system_uuid: orNull(textSchema),
    macs: listSchema(textSchema),
    problem: orNull(textSchema),
  },
  'BmcTestResult',
);

export const bmcTestRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/bmc_tests',
    since: 1,
    rate: { perSecond: 1, burst: 20 },
    body: { parameters },
    answers: { 200: resultSchema },
    async handler(request) {
      const { address, username, password, driver, verify_ca: verifyCa } = request.given;
      const body = await testBmc(request, {
        address,
        driver: driver ?? null,
        ...(username != null && { username }),
        ...(password != null && { password }),
        ...(verifyCa != null && { verifyCa }),
      });
      return { status: 200, body };
    },
  }),
];
