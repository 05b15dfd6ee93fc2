// Version documents, negotiation, media types, paths and methods.
import type { Scenario } from './scenario.ts';

export const versions: Scenario = async (both) => {
  for (const version of [null, ...Array.from({ length: both.maximum }, (_, index) => index + 1)])
    await both.send('GET', '/v1', { version });
  await both.sendAll(
    'GET /',
    'GET /v1/',
    'HEAD /',
    'HEAD /v1',
    'POST /v1',
    'DELETE /v1',
    'POST /',
    'PUT /v1',
  );
  for (const version of [
    '1.0',
    '0.9',
    '1.9999',
    '2.1',
    'foo',
    '1',
    '1.2.3',
    'latest',
    'LATEST',
    '',
    '1.x',
    ' 1.5',
    '1.05',
  ]) {
    const legacy = { version: null, headers: { 'x-openstack-ironic-api-version': version } };
    await both.send('GET', '/v1/nodes', legacy);
    await both.send('GET', '/v1', legacy);
    for (const standard of [
      `baremetal ${version}`,
      `compute ${version}`,
      `compute 2.1, baremetal ${version}`,
    ])
      await both.send('GET', '/v1/nodes', { version: null, headers: { 'openstack-api-version': standard } });
  }
  await both.send('GET', '/v1/nodes', {
    version: 31,
    headers: { 'openstack-api-version': 'baremetal 1.50' },
  });
  await both.send('GET', '/v1/nodes', { version: 50, headers: { 'openstack-api-version': 'compute 2.1' } });
  for (const accept of [
    '*/*',
    'application/json',
    'text/html',
    'text/html, */*',
    'application/xml',
    'application/json;q=0.5',
    'text/plain',
  ])
    await both.send('GET', '/v1/nodes', { headers: { accept } });
};

const RESOURCES = [
  'nodes',
  'ports',
  'portgroups',
  'chassis',
  'drivers',
  'conductors',
  'allocations',
  'deploy_templates',
  'runbooks',
  'inspection_rules',
  'volume',
  'volume/connectors',
  'volume/targets',
  'shards',
  'events',
  'lookup',
  'heartbeat',
  'continue_inspection',
];

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export const paths: Scenario = async (both) => {
  for (const resource of RESOURCES) {
    for (const method of METHODS) {
      // a DELETE of this list needs no body: it would delete all rules
      if (method === 'DELETE' && resource === 'inspection_rules') continue;
      // requests that write lack their body here: both sides must refuse them for the same reason
      await both.sendAll(`${method} /v1/${resource}`);
      await both.sendAll(`${method} /v1/${resource}/00000000-0000-4000-8000-00000000dead`);
      await both.sendAll(`${method} /v1/${resource}/no-such-name`);
    }
    await both.sendAll(
      `GET /v1/${resource}/`,
      `GET /${resource}`,
      `GET /v1/${resource}/detail`,
      `GET /v1/${resource}/detail/`,
      `GET /v1/${resource}?unknown=1`,
      `GET /v1/${resource}/no-such-name/unknown`,
      `GET /v1/${resource}/%20`,
    );
  }
  await both.sendAll(
    'GET /v2/nodes',
    'GET /V1/nodes',
    'GET /v1/Nodes',
    'GET //v1/nodes',
    'GET /v1//nodes',
    'GET /v1/unknown',
    'GET /unknown',
    'GET /v1/nodes/a/b/c/d',
    'GET /v1/nodes/%2e%2e',
    'GET /v1/%6eodes',
    'GET /?unknown=1',
  );
};
