import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { coreSections } from '../../../daemon/config/sections/core-sections.ts';
import { configurationSchema } from '../../../daemon/config/section-schema.ts';

const validate = new Ajv({ strict: true }).compile(configurationSchema);
const section = (name: string, properties: object) => ({ [name]: { type: 'object', properties } });

test('every type of option is accepted, with and without a default', () => {
  const properties = {
    port: { type: 'integer', default: 443, minimum: 1, maximum: 65535, description: 'The port.' },
    ratio: { type: 'number', default: 0.5 },
    verify: { type: 'boolean', default: true },
    mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
    users: { type: 'array', items: { type: 'string' }, default: ['root'] },
    aliases: { type: 'array', items: { type: 'string' }, repeatable: true },
    certificate: { type: 'string', format: 'path' },
  };
  assert.equal(validate(section('acme', properties)), true, JSON.stringify(validate.errors));
  assert.equal(validate(section('DEFAULT', { x: { type: 'boolean' } })), true);
  assert.equal(validate({}), true);
});

test('unsupported types, keywords and names, and a default of the wrong type are rejected', () => {
  const refused = [
    section('acme', { x: { type: 'object' } }),
    section('acme', { x: { type: 'integer', default: '1' } }),
    section('acme', { x: { type: 'string', minLength: 1 } }),
    section('acme', { x: { type: 'array', items: { type: 'integer' } } }),
    section('acme', { a__b: { type: 'string' } }),
    section('acme', { Upper: { type: 'string' } }),
    section('my__acme', { x: { type: 'string' } }),
    section('default', { x: { type: 'string' } }),
    section('Acme', { x: { type: 'string' } }),
    { acme: { type: 'object', properties: {}, required: ['x'] } },
  ];
  for (const declared of refused) assert.equal(validate(declared), false, JSON.stringify(declared));
});

test("the core's own sections follow the schema and every option has a description", () => {
  // as JSON, the form that a manifest has
  const sections = JSON.parse(
    JSON.stringify(coreSections({ hostname: 'h', address: '192.0.2.1', workingDirectory: '/' })),
  ) as Record<string, { required?: unknown; properties: Record<string, { description?: string }> }>;
  for (const declared of Object.values(sections)) {
    delete declared.required;
    for (const [name, option] of Object.entries(declared.properties)) {
      assert.match(option.description ?? '', /\.$/, name);
    }
  }
  assert.equal(validate(sections), true, JSON.stringify(validate.errors));
  assert.deepEqual(Object.keys(sections), [
    'DEFAULT',
    'api',
    'conductor',
    'database',
    'deploy',
    'disk_utils',
    'oci',
    'service_catalog',
    'boot_http',
    'ramdisk',
    'dhcp',
    'dnsmasq',
    'dhcp_server',
    'auto_discovery',
    'pxe_filter',
    'agent',
    'inspector',
    'inspection_rules',
    'inventory',
    'pxe',
    'tftp_server',
    'oslo_middleware',
    'cors',
    'healthcheck',
    'plugins',
    'ui',
    'metrics',
    'events',
    'standby',
    'webhooks',
    'sensor_data',
    'bmc_events',
    'console',
    'watchdog',
    'audit',
    'users',
    'oidc',
    'zero_touch',
  ]);
});
