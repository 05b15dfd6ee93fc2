import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { MASK } from '../../../daemon/model/secrets.ts';
import { type InProcessDaemon, startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

const SECRET = 'S3cretOfThisRun';
const step = { interface: 'raid', step: 'x', priority: 1 };
const MAC = '52:54:00:00:00:01';
const secretKey = fc.constantFrom(
  'password',
  'ipmi_password',
  'redfish_PASSWORD',
  'auth_token',
  'my_token_id',
  'private_key_path',
  'secret',
  'rescue_password',
  'configdrive',
  'passphrase',
  'snmp_auth_key',
  'sslkey',
  'chappassword',
  'fernetKey',
);
const secretValue = fc.constantFrom<unknown>(SECRET, [SECRET], { inside: [SECRET] }, `x ${SECRET} y`);
const secretObject = fc
  .tuple(
    fc.dictionary(secretKey, secretValue, { minKeys: 1, maxKeys: 3 }),
    fc.array(fc.constantFrom('list', 'object'), { maxLength: 4 }),
  )
  .map(([secrets, wrappings]) =>
    wrappings.reduce<object>(
      (inner, wrapping) => ({ [wrapping]: wrapping === 'list' ? [inner] : inner }),
      secrets,
    ),
  );

const READABLE = [
  '',
  '/states',
  '/validate',
  '/ports',
  '/ports/detail',
  '/history',
  '/history/detail',
  '/inventory',
];

async function everythingReadable(daemon: InProcessDaemon, uuid: string): Promise<string> {
  const lists = [
    '/v1/nodes',
    '/v1/nodes/detail',
    '/v1/nodes?fields=driver_info,instance_info,driver_internal_info',
  ];
  const paths = [
    ...lists,
    '/v1/ports/detail',
    '/v1/drivers?detail=true',
    '/v1/conductors?detail=true',
    '/v1',
    '/',
    ...READABLE.map((path) => `/v1/nodes/${uuid}${path}`),
    `/v1/nodes/${uuid}/management/boot_device`,
    `/v1/lookup?node_uuid=${uuid}`,
  ];
  const texts = await Promise.all(paths.map(async (path) => (await daemon.request('GET', path)).text));
  return texts.join('\n');
}

test('a value under a secret key at any depth appears in no answer and no log line', async (t) => {
  const daemon = await startInProcess(t, { ini: '[DEFAULT]\ndebug = true\n' });
  await fc.assert(
    fc.asyncProperty(secretObject, secretObject, secretObject, async (driver_info, instance_info, known) => {
      const body = { driver: 'lab', driver_info, instance_info };
      const created = await daemon.request('POST', '/v1/nodes', { body });
      assert.equal(created.status, 201, created.text);
      const { uuid } = created.body;
      daemon.services.db.nodes.update(uuid, { driver_internal_info: known as Record<string, never> });
      const patched = await daemon.request('PATCH', `/v1/nodes/${uuid}`, {
        body: [{ op: 'add', path: '/driver_info/more', value: driver_info }],
      });
      await daemon.createPort(uuid, MAC);
      daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait' });
      const report = { inventory: { interfaces: [{ mac_address: MAC }] } };
      const reported = await daemon.request('POST', '/v1/continue_inspection', { body: report });
      const shown = [created.text, patched.text, reported.text, await everythingReadable(daemon, uuid)].join(
        '\n',
      );
      assert.doesNotMatch(shown, new RegExp(SECRET));
      assert.ok(shown.includes(MASK));
      await daemon.idle();
      daemon.services.db.nodes.remove(uuid);
    }),
    { numRuns: 25, seed: 4 },
  );
  assert.doesNotMatch(daemon.log(), new RegExp(SECRET));
});

test('the secrets of a refused request appear neither in its answer nor in the log', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ name: 'n' });
  const provision = `/v1/nodes/${uuid}/states/provision`;
  const attempts: readonly (readonly [string, string, unknown])[] = [
    ['POST', '/v1/nodes', { driver: 'lab', driver_info: [{ password: SECRET }] }],
    ['POST', '/v1/nodes', [{ driver_info: { password: SECRET } }]],
    ['POST', '/v1/nodes', { driver: 'lab', driver_info: `{'password': '${SECRET}'}` }],
    ['PATCH', `/v1/nodes/${uuid}`, [{ op: 'replace', path: '/driver_info', value: [SECRET] }]],
    ['POST', '/v1/deploy_templates', { name: 'CUSTOM_A', steps: [{ ...step, args: SECRET }] }],
    ['POST', '/v1/inspection_rules', { actions: [{ op: 'set-attribute', args: SECRET }] }],
    ['POST', '/v1/nodes', { driver: 'lab', extra: [{ deep: { password: SECRET } }] }],
    ['POST', '/v1/nodes', `{"driver_info": {"password": "${SECRET}", }}`],
    ['POST', '/v1/nodes', `{"driver_info": {"password": ${SECRET}}}`],
    ['PATCH', `/v1/nodes/${uuid}`, [{ op: 'replace', path: '/driver_info', value: [{ password: SECRET }] }]],
    ['PATCH', `/v1/nodes/${uuid}`, [{ op: 'replace', path: '/driver_info/password', value: SECRET }]],
    ['PUT', provision, { target: 'rescue', rescue_password: [SECRET] }],
    ['PUT', provision, { target: 'manage', rescue_password: SECRET }],
    ['PUT', provision, { target: 'manage', configdrive: SECRET }],
  ];
  for (const [method, path, body] of attempts) {
    const answer = await daemon.request(method, path, { body });
    assert.equal(answer.status, 400, `${method} ${path} ${JSON.stringify(body)} ${answer.text}`);
    assert.doesNotMatch(answer.text, new RegExp(SECRET));
  }
  assert.doesNotMatch(daemon.log(), new RegExp(SECRET));
});

test('validate names a secret property of the wrong type without its value', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({
    driver: 'ipmi',
    driver_info: { ipmi_address: '192.0.2.1', ipmi_password: [SECRET] },
  });
  const { body, text } = await daemon.request('GET', `/v1/nodes/${uuid}/validate`);
  assert.match(JSON.stringify(body['power']), /ipmi_password/);
  assert.doesNotMatch(text + daemon.log(), new RegExp(SECRET));
});

test('secrets of any type, even null, are masked, and other values are shown', async (t) => {
  const daemon = await startInProcess(t);
  const driver_info = {
    password: null,
    token: 5,
    username: 'u',
    passwd: 'p',
    nested: [{ secret: [1] }],
    snmp_auth_key: 'k',
  };
  const instance_info = { configdrive: {}, image_url: 'http://x', image_source: 'y' };
  const node = await daemon.createNode({ driver_info, instance_info });
  assert.deepEqual(node['driver_info'], {
    password: MASK,
    token: MASK,
    username: 'u',
    passwd: 'p',
    nested: [{ secret: MASK }],
    snmp_auth_key: MASK,
  });
  assert.deepEqual(node['instance_info'], { configdrive: MASK, image_url: MASK, image_source: 'y' });
});
