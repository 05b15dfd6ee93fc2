import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { apiRoutes } from '../../../../daemon/api/routes/all-routes.ts';
import { describedRoutes } from '../../../../daemon/api/routes/openapi.ts';
import { publicPaths } from '../../../../daemon/http/login/route-access.ts';
import { routedPath } from '../../../../daemon/http/routing.ts';
import { ramdiskRoutes } from '../../../../ramdisk-callback/routes.ts';

const isPublic = publicPaths(describedRoutes([...apiRoutes, ...ramdiskRoutes]));

test('only the root, /v1, /openapi.json and the full paths of ramdisk endpoints are public', () => {
  const open = [
    '/',
    '//',
    '/v1',
    '/v1/',
    '/v1.json',
    '/v1/lookup',
    '/v1/lookup/',
    '/v1/lookup.json',
    '/v1/heartbeat/11111111-2222-4333-8444-555555555555',
    '/v1/heartbeat/node-1.xml',
    '/v1/continue_inspection',
    '/openapi.json',
    '/openapi.json/',
  ];
  assert.deepEqual(
    open.filter((each) => !isPublic(each)),
    [],
  );
  const closed = [
    '/lookup',
    '/v1/lookups',
    '/v1/lookup/x',
    '/v1//lookup',
    '/v1/Lookup',
    '/v2',
    '/v1/heartbeat',
    '/v1/heartbeat/',
    '/v1/heartbeat/Node',
    '/v1/heartbeat/node.1',
    '/v1/heartbeat/node_1',
    '/v1/heartbeat/node~1',
    '/v1/heartbeat/a/b',
    '/v1/heartbeat/%61',
    '/v1/continue_inspection/x',
    '/v1/nodes',
    '/v1/nodes.json',
    '/v1/lookup\n',
    '/.json',
    '/v1/openapi.json',
    '/v1/.json',
    '/v1.json.json',
    '/v1/heartbeat/.xml',
    '/openapi.json.json',
    '/openapi',
    // a path that must be judged in linear time
    `${'/'.repeat(1_000_000)}x`,
  ];
  assert.deepEqual(
    closed.filter((each) => isPublic(each)),
    [],
  );
});

test('a public path is never routed to a resource that is not public', () => {
  // /v1.json is routed as /v1/v1, which does not exist
  const routed = /^\/(?:v1(?:\/v1|\/openapi\.json|\/lookup|\/heartbeat\/[^/]+|\/continue_inspection)?)?$/;
  const pieces = [
    '/',
    '//',
    'v1',
    'lookup',
    'heartbeat',
    'openapi',
    'nodes',
    '%2f',
    '%6e',
    '..',
    '.',
    '#',
    '?',
    ';',
    '\\',
    '.json',
  ];
  const tail = fc.array(fc.constantFrom(...pieces), { maxLength: 8 });
  fc.assert(
    fc.property(tail, (parts) => {
      const url = URL.parse(`http://localhost/${parts.join('')}`);
      fc.pre(url !== null && isPublic(url.pathname));
      const { href } = url ?? { href: '' };
      assert.match(routedPath(new Request(href)), routed, href);
    }),
    { numRuns: 3000 },
  );
});
