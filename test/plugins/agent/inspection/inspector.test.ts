// The inspector inspect interface: its requests to ironic-inspector and its handling of each answer.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import test, { type TestContext } from 'node:test';
import { type BootInterface, defineBoot, fault, type KernelParameters, type Node } from '#plugin-api';
import { createInspectorInspect } from '../../../../plugins/agent/inspection/inspector.ts';
import { certificateFiles } from '../../../fakes/services/certificates.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { refuse, scriptedInspector } from '../../../fakes/services/scripted-inspector.ts';
import { type FakeTask, fakeTask } from '../../../fakes/task.ts';

const inspect = createInspectorInspect(async () => ['192.0.2.7']);
const NODE = '11111111-2222-4333-8444-555555555555';

const noBoot = defineBoot({
  properties: {},
  validate() {
    throw fault('UnsupportedDriverExtension', { driver: 'd', extension: 'boot' });
  },
});

interface Options {
  readonly inspector?: object;
  readonly node?: Partial<Node>;
  readonly boot?: BootInterface;
  readonly powerFailures?: Readonly<Record<string, Error>>;
}

const taskFor = (
  endpoint_override: string,
  { inspector, node = {}, boot = noBoot, ...rest }: Options = {},
): FakeTask =>
  fakeTask({
    node,
    driver: { boot },
    configuration: {
      inspector: {
        endpoint_override,
        callback_endpoint_override: null,
        extra_kernel_params: '',
        timeout: 30,
        auth_type: 'none',
        cafile: null,
        insecure: false,
        power_off: true,
        ...inspector,
      },
    },
    ...rest,
  });

/** A boot interface that boots ramdisks and records their kernel parameters in `told`. */
function booting() {
  const told: KernelParameters[] = [];
  const boot = defineBoot({
    properties: {},
    validate() {},
    async prepareRamdisk(_task, parameters) {
      told.push(parameters);
    },
    async cleanUpRamdisk(task) {
      (task as FakeTask).done.push('clean up');
    },
  });
  return { boot, told };
}

const checked = async (task: FakeTask) => inspect.poll?.check(task);
const validated = async (task: FakeTask) => inspect.validate(task);

async function waiting(t: TestContext, options: Options = {}) {
  const inspector = await scriptedInspector(t);
  return {
    inspector,
    task: taskFor(inspector.url, options),
    check: () => checked(taskFor(inspector.url, options)),
  };
}

test('without managed boot, the daemon leaves the boot to ironic-inspector', async (t) => {
  const { inspector, task } = await waiting(t, { node: { driver_info: { ipmi_address: 'bmc.example' } } });
  assert.equal(await inspect.inspectHardware(task), 'inspect wait');
  assert.deepEqual(inspector.lines, [`POST introspection/${NODE}`]);
  assert.deepEqual(task.done, ['update']);
  assert.deepEqual(task.node.driver_internal_info, {
    inspector_manage_boot: false,
    lookup_bmc_addresses: ['bmc.example', '192.0.2.7'],
  });
});

test('with managed boot, the daemon boots a ramdisk that reports to ironic-inspector', async (t) => {
  const { boot, told } = booting();
  const inspector = { callback_endpoint_override: 'http://192.0.2.1:5050/v1/' };
  const { inspector: service, task } = await waiting(t, { boot, inspector });
  await inspect.inspectHardware(task);
  assert.deepEqual(service.lines, [`POST introspection/${NODE}?manage_boot=False`]);
  assert.deepEqual(task.done, ['update', 'set power off', 'set power on']);
  assert.equal(told[0]?.['ipa-inspection-callback-url'], 'http://192.0.2.1:5050/v1/continue');
  assert.deepEqual(task.node.driver_internal_info, { inspector_manage_boot: true });
});

test('callback_endpoint_override = mdns is passed to the ramdisk', async (t) => {
  const { boot, told } = booting();
  const { task } = await waiting(t, { boot, inspector: { callback_endpoint_override: 'mdns' } });
  await inspect.validate(task);
  await inspect.inspectHardware(task);
  assert.equal(told[0]?.['ipa-inspection-callback-url'], 'mdns');
});

test('managed boot refuses a loopback address as the callback endpoint', async () => {
  const { boot } = booting();
  for (const own of [
    'http://127.0.0.1:5050',
    'http://localhost',
    'http://[::1]:5050/v1',
    'https://127.9.9.9',
  ]) {
    await inspect.validate(taskFor(own));
    const refused = {
      code: 'InvalidParameter',
      message: /\[inspector\] endpoint_override: ramdisks cannot reach http.* Set callback_endpoint_override/,
    };
    await assert.rejects(validated(taskFor(own, { boot })), refused, own);
    const inspector = { callback_endpoint_override: own };
    await assert.rejects(validated(taskFor('http://192.0.2.1', { boot, inspector })), {
      message: /\[inspector\] callback_endpoint_override: ramdisks cannot reach/,
    });
  }
});

test('an endpoint that is not a URL or contains a password is refused without being shown', async () => {
  for (const wrong of ['', 'inspector', 'ftp://192.0.2.1', 'http://admin:s3cr3t@192.0.2.1:5050'])
    await rejectsFault(
      validated(taskFor(wrong)),
      'InvalidParameter',
      /\[inspector\] endpoint_override: expected a URL such as \S+, without user and password$/,
    );
});

test('when ironic-inspector refuses the start, the error has its message and the machine is not booted', async (t) => {
  const { boot } = booting();
  const { inspector, task } = await waiting(t, { boot, inspector: { callback_endpoint_override: 'mdns' } });
  inspector.trouble = { at: /^POST/, answer: refuse(400, 'Invalid provision state') };
  await assert.rejects(inspect.inspectHardware(task), {
    name: 'InspectionError',
    message: new RegExp(
      `^unable to start inspection: ironic-inspector .* failed at POST ${inspector.url}/v1/introspection/${NODE}\\?manage_boot=False: it answered with HTTP status 400: Invalid provision state$`,
    ),
  });
  assert.deepEqual([task.powerTargets, task.node.driver_internal_info], [[], {}]);
  await inspect.abort?.(task);
  assert.equal(inspector.lines.length, 1, 'there is nothing to abort there');
});

test('a poll reports waiting until the inspection finishes, then returns its data', async (t) => {
  const { inspector, check } = await waiting(t);
  assert.equal(await check(), 'waiting');
  inspector.introspection = { finished: true, error: null };
  inspector.data = { inventory: { cpu: {} }, extra: 1 };
  const progress = await check();
  assert.ok(typeof progress === 'object' && progress.report !== undefined);
  assert.deepEqual(JSON.parse(Buffer.from(progress.report).toString()), inspector.data);
});

test('when ironic-inspector stores no data, there is no report and a warning is logged', async (t) => {
  const { inspector, task } = await waiting(t);
  inspector.introspection = { finished: true, error: null };
  assert.deepEqual(await checked(task), { report: undefined });
  assert.match(task.logged[0]?.message ?? '', /stores no data \(see its option \[processing\] store_data\)/);
});

test('an inspection that failed in ironic-inspector or is unknown to it fails', async (t) => {
  const { inspector, check } = await waiting(t);
  inspector.introspection = { finished: true, error: 'Timeout' };
  await assert.rejects(check(), {
    name: 'InspectionError',
    message: 'ironic-inspector inspection failed: Timeout',
  });
  inspector.introspection = undefined;
  await assert.rejects(check(), {
    name: 'InspectionError',
    message: /no longer knows the node/,
  });
});

const answers: readonly (readonly [string, number, string, RegExp])[] = [
  ['an error without a message', 500, 'Traceback', /: it answered with HTTP status 500$/],
  [
    'an error with a message',
    500,
    '{"error":{"message":"Internal server error"}}',
    /status 500: Internal server error$/,
  ],
  ['an error of another shape', 503, '{"error":"busy"}', /status 503$/],
  ['a 404 from a proxy', 404, '<html>', /status 404$/],
  ['an unreadable answer', 200, '\u0000\uFFFF', /its answer lacks a valid "finished" or "error"$/],
  ['JSON that is not an object', 200, '[]', /lacks a valid/],
  ['an object without the expected fields', 200, '{"state":"waiting"}', /lacks a valid/],
  ['a field of the wrong type', 200, '{"finished":"true"}', /lacks a valid/],
  ['an error that is not a string', 200, '{"finished":true,"error":{}}', /lacks a valid/],
  [
    'a document that is too large',
    200,
    `{"finished":true,"error":"${'x'.repeat(1_100_000)}"}`,
    /lacks a valid/,
  ],
];
for (const [what, status, text, reason] of answers)
  test(`${what} fails the poll with InspectorFailure`, async (t) => {
    const { inspector, check } = await waiting(t);
    inspector.trouble = { at: /^GET/, answer: (response) => void response.writeHead(status).end(text) };
    await rejectsFault(check(), 'InspectorFailure', reason);
  });

test('a redirect is not followed', async (t) => {
  const { inspector, check } = await waiting(t);
  const answer = (response: ServerResponse) =>
    void response.writeHead(302, { location: `${inspector.url}/elsewhere` }).end();
  inspector.trouble = { at: /^GET introspection/, answer };
  await rejectsFault(check(), 'InspectorFailure', /HTTP status 302$/);
  assert.equal(inspector.lines.length, 1);
});

test('data larger than 32 MiB are refused', async (t) => {
  const { inspector, check } = await waiting(t);
  inspector.introspection = { finished: true, error: null };
  const chunk = Buffer.alloc(1_048_576, 0x20);
  inspector.trouble = {
    at: /data$/,
    answer(response) {
      const pour = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', pour).on('error', () => {});
      pour();
    },
  };
  await rejectsFault(check(), 'InspectorFailure', /larger than 32 MiB$/);
});

test('a request that ironic-inspector does not answer fails after the timeout', async (t) => {
  const { inspector, task } = await waiting(t);
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  inspector.trouble = { at: /./, answer: () => resolve() };
  const refused = rejectsFault(checked(task), 'InspectorFailure', /no complete reply within 30 s$/);
  await asked;
  await task.clock.advance(30_000);
  await refused;
});

test('a refused connection is reported with the URL', async () => {
  const task = taskFor('http://127.0.0.1:9');
  await rejectsFault(
    checked(task),
    'InspectorFailure',
    /GET http:\/\/127\.0\.0\.1:9\/v1\/\S+: connect ECONNREFUSED/,
  );
});

test('user and password are sent only with auth_type = http_basic', async (t) => {
  const login = { username: 'admin', password: 's3cr3t' };
  const { inspector, task } = await waiting(t, { inspector: { ...login, auth_type: 'http_basic' } });
  await checked(task);
  await checked(taskFor(inspector.url, { inspector: login }));
  const expected = `Basic ${Buffer.from('admin:s3cr3t').toString('base64')}`;
  assert.deepEqual(
    inspector.asked.map(({ authorization }) => authorization),
    [expected, undefined],
  );
});

test('TLS verifies the certificate with cafile unless insecure is set', async (t) => {
  const { cert, key } = certificateFiles(t);
  const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  const { url } = await scriptedInspector(t, tls);
  const cafile = path.join(import.meta.dirname, '../../../fixtures/tls/authority.pem');
  assert.equal(await checked(taskFor(url, { inspector: { cafile } })), 'waiting');
  assert.equal(await checked(taskFor(url, { inspector: { insecure: true } })), 'waiting');
  await rejectsFault(checked(taskFor(url)), 'InspectorFailure', /certificate/);
  const missing = taskFor(url, { inspector: { cafile: '/nowhere.pem' } });
  await rejectsFault(checked(missing), 'InspectorFailure', /ENOENT.*nowhere\.pem/);
});

test("a ramdisk's report is passed on to ironic-inspector unchanged", async (t) => {
  const { inspector, task } = await waiting(t);
  const report = { inventory: { interfaces: [] }, logs: 'x'.repeat(100_000) };
  // the report is in shared memory, like the request bodies that the daemon reads
  const octets = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(JSON.stringify(report))));
  octets.set(Buffer.from(JSON.stringify(report)));
  await inspect.passOn?.(task, octets);
  assert.deepEqual(inspector.lines, ['POST continue']);
  assert.deepEqual(inspector.asked[0]?.body, report);
});

const begun = (isManaged: boolean) => ({
  driver_internal_info: { inspector_manage_boot: isManaged, lookup_bmc_addresses: ['192.0.2.1'], kept: 1 },
});

test('an abort is sent to ironic-inspector, and without managed boot the machine is not powered off', async (t) => {
  const { inspector, task } = await waiting(t, { node: begun(false) });
  await inspect.abort?.(task);
  assert.deepEqual(inspector.lines, [`GET introspection/${NODE}`, `POST introspection/${NODE}/abort`]);
  assert.deepEqual([task.powerTargets, task.node.driver_internal_info], [[], { kept: 1 }]);
});

test('an inspection that is finished or unknown in ironic-inspector is not aborted there', async (t) => {
  const { inspector, task } = await waiting(t, { node: begun(false) });
  inspector.introspection = { finished: true, error: 'Timeout' };
  await inspect.abort?.(task);
  inspector.introspection = undefined;
  await inspect.abort?.(taskFor(inspector.url, { node: begun(false) }));
  assert.deepEqual(inspector.lines, [`GET introspection/${NODE}`, `GET introspection/${NODE}`]);
});

test('an abort that does not reach ironic-inspector fails but still cleans up the ramdisk', async () => {
  const { boot } = booting();
  const task = taskFor('http://127.0.0.1:9', { boot, node: begun(true) });
  await assert.rejects(async () => inspect.abort?.(task), { message: /ECONNREFUSED/ });
  assert.deepEqual(task.done, ['update', 'clean up', 'set power off']);
});

test('finish powers off only a machine with managed boot', async () => {
  const { boot } = booting();
  for (const isManaged of [true, false]) {
    const task = taskFor('http://127.0.0.1:9', { boot, node: begun(isManaged) });
    await inspect.finish?.(task);
    assert.deepEqual(task.done, isManaged ? ['update', 'clean up', 'set power off'] : ['update']);
    assert.deepEqual(task.node.driver_internal_info, { kept: 1 });
  }
});
