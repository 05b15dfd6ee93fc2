import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { converse } from '../../../../plugins/redfish/bmc/converse.ts';
import { retryAfter } from '../../../../plugins/redfish/bmc/patience.ts';
import { redfishPower } from '../../../../plugins/redfish/power/power.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { certificateFiles } from '../../../fakes/services/certificates.ts';
import { redfishLab } from '../redfish-lab.ts';

const SYSTEM = '/redfish/v1/Systems/1';

const link = (path: string) => ({ '@odata.id': path });

const after = (text: string) =>
  retryAfter({ headers: { 'retry-after': [text], date: ['Thu, 01 Jan 2026 00:00:00 GMT'] } });

const boot = { Boot: { BootSourceOverrideTarget: 'Pxe' } };

test('a connection that is cut is replaced, and the reading repeated', async (t) => {
  const { bmc, task } = await redfishLab(t);
  await redfishPower.getPowerState(task);
  bmc.forget();
  bmc.faults.add({ path: SYSTEM, does: { kind: 'cut' } });
  assert.equal(await redfishPower.getPowerState(task), 'power off');
  assert.deepEqual(bmc.forget(), [`GET ${SYSTEM}`, `GET ${SYSTEM}`]);
  assert.deepEqual(task.sleeps, []);
});

test('a reading fails after three attempts when the BMC cuts every connection', async (t) => {
  const { bmc, task } = await redfishLab(t);
  await redfishPower.getPowerState(task);
  bmc.forget();
  bmc.faults.add({ times: 10, does: { kind: 'cut' } });
  await rejectsFault(redfishPower.getPowerState(task), 'BmcFailure', /closed the connection/);
  assert.deepEqual(bmc.forget(), [...Array.from({ length: 3 }, () => `GET ${SYSTEM}`), 'GET /redfish/v1']);
});

test('a POST whose answer is lost is not sent again', async (t) => {
  const { bmc, task } = await redfishLab(t);
  await redfishPower.getPowerState(task);
  bmc.forget();
  bmc.faults.add({ method: 'POST', afterObeying: true, does: { kind: 'cut' } });
  await rejectsFault(
    converse(task, { operation: 'Posting' }, (each) =>
      each.post('/redfish/v1/EventService/Subscriptions', {}),
    ),
    'BmcFailure',
    /closed the connection/,
  );
  assert.equal(bmc.forget().length, 1);
  assert.equal(bmc.machine.subscriptions.size, 1);
});

test('a port that nobody listens on is not tried again', async (t) => {
  const lab = await redfishLab(t);
  const { task } = lab;
  await lab.stop();
  await rejectsFault(redfishPower.getPowerState(task), 'BmcFailure', /ECONNREFUSED/);
  assert.deepEqual(task.sleeps, []);
});

test('a reading that the BMC never answers fails at its time limit', async (t) => {
  const { bmc, task } = await redfishLab(t, { options: { read_timeout: 10 } });
  await redfishPower.getPowerState(task);
  bmc.faults.add({ does: { kind: 'silence' } });
  const reading = rejectsFault(
    redfishPower.getPowerState(task),
    'BmcFailure',
    /no complete reply within 10 s/,
  );
  while (bmc.requests.at(-1)?.status !== 0) await new Promise(setImmediate);
  await task.clock.advance(10_000);
  await reading;
});

test('a BMC that answers 503 with Retry-After is asked again after that time', async (t) => {
  const { bmc, task } = await redfishLab(t);
  await redfishPower.getPowerState(task);
  bmc.faults.add({ does: { kind: 'answer', status: 503, headers: { 'retry-after': '7' } } });
  assert.equal(await redfishPower.getPowerState(task), 'power off');
  assert.deepEqual(task.sleeps, [7000]);
});

test('Retry-After is a number or a date, and bounded', () => {
  assert.equal(after('30'), 30);
  assert.equal(after('0'), 1);
  assert.equal(after('86400'), 60);
  assert.equal(after('Thu, 01 Jan 2026 00:00:20 GMT'), 20);
  assert.equal(after('soon'), undefined);
  assert.equal(retryAfter({ headers: {} }), undefined);
});

test('a BMC that is busy after a job or a power change is asked again until it is ready', async (t) => {
  for (const [status, id] of [
    [500, 'IDRAC.2.8.SYS518'],
    [400, 'IDRAC.2.8.SWC0700'],
    [400, 'iLO.2.14.InvalidOperationForSystemState'],
  ] as const) {
    const { bmc, task } = await redfishLab(t);
    await redfishPower.getPowerState(task);
    const body = { error: { '@Message.ExtendedInfo': { MessageId: id, Message: 'Later.' } } };
    bmc.faults.add({ times: 2, does: { kind: 'answer', status, body } });
    assert.equal(await redfishPower.getPowerState(task), 'power off', id);
    assert.deepEqual(task.sleeps, [5000, 5000]);
  }
});

test('a BMC that stays busy is reported as not ready, although it answers with status 400', async (t) => {
  const { bmc, task } = await redfishLab(t);
  await redfishPower.getPowerState(task);
  const body = { error: { '@Message.ExtendedInfo': { MessageId: 'IDRAC.2.8.SWC0700', Message: 'Later.' } } };
  bmc.faults.add({ times: 7, does: { kind: 'answer', status: 400, body } });
  await rejectsFault(redfishPower.getPowerState(task), 'BmcNotReady', /Later\./);
  assert.equal(task.sleeps.length, 6);
});

test('an HTML page is not shown as the reason of a refusal', async (t) => {
  const { bmc, task } = await redfishLab(t);
  await redfishPower.getPowerState(task);
  const text = '<html><body>Internal Server Error</body></html>';
  bmc.faults.add({ times: 10, does: { kind: 'answer', status: 500, text } });
  await rejectsFault(
    redfishPower.getPowerState(task),
    'BmcRefused',
    /answered with 500 \(no message\): HTTP status 500$/,
  );
});

test('a refusal names status, message and reason, and an answer that is not a JSON object is refused', async (t) => {
  const { bmc, task } = await redfishLab(t);
  const info = [
    { MessageId: 'Base.1.8.Fine', Message: 'All is well.', Severity: 'OK' },
    { MessageId: 'Base.1.18.1.Broken', Message: 'A part is broken.', MessageSeverity: 'Critical' },
  ];
  bmc.faults.add({
    path: SYSTEM,
    does: {
      kind: 'answer',
      status: 400,
      body: { error: { code: 'iLO.0.10.ExtendedInfo', '@Message.ExtendedInfo': info } },
    },
  });
  await rejectsFault(redfishPower.getPowerState(task), 'BmcRefused', /400 \(Broken\): A part is broken\./);
  bmc.faults.add({ path: SYSTEM, times: 3, does: { kind: 'answer', status: 200, text: '[]' } });
  await rejectsFault(redfishPower.getPowerState(task), 'BmcRefused', /not a JSON object/);
});

test('a change needs one request, whether the BMC sends an ETag, sends none or demands one', async (t) => {
  for (const etag of ['none', 'empty', 'strong', 'weak', 'required'] as const) {
    const { bmc, task } = await redfishLab(t, { differences: { etag } });
    await redfishPower.getPowerState(task);
    bmc.forget();
    await converse(task, { operation: 'Changing' }, (each) => each.patch(SYSTEM, boot));
    assert.deepEqual(bmc.forget(), [`PATCH ${SYSTEM}`], etag);
    assert.equal(bmc.machine.boot.BootSourceOverrideTarget, 'Pxe');
  }
});

test('a PATCH with a stale ETag is repeated after one new reading', async (t) => {
  const { address, bmc, task } = await redfishLab(t, { differences: { etag: 'strong' } });
  await redfishPower.getPowerState(task);
  await fetch(`${address}${SYSTEM}`, {
    method: 'PATCH',
    headers: { authorization: `Basic ${btoa('admin:secret')}` },
    body: JSON.stringify({ IndicatorLED: 'Lit' }),
  });
  bmc.forget();
  await converse(task, { operation: 'Changing' }, (each) => each.patch(SYSTEM, boot));
  assert.deepEqual(bmc.forget(), [`PATCH ${SYSTEM}`, `GET ${SYSTEM}`, `PATCH ${SYSTEM}`]);
});

test('a BMC that refuses the ETag it has sent gets none, and the daemon remembers to send none', async (t) => {
  const { bmc, task } = await redfishLab(t, { differences: { etag: 'broken' } });
  await redfishPower.getPowerState(task);
  await converse(task, { operation: 'Changing' }, (each) => each.patch(SYSTEM, boot));
  await redfishPower.getPowerState(task);
  bmc.forget();
  await converse(task, { operation: 'Changing' }, (each) => each.patch(SYSTEM, boot));
  assert.deepEqual(bmc.forget(), [`PATCH ${SYSTEM}`]);
});

test('a BMC that answers If-Match with status 400 gets none, and the daemon remembers to send none', async (t) => {
  const { bmc, task } = await redfishLab(t, { differences: { etag: 'unknown' } });
  const change = () => converse(task, { operation: 'Changing' }, (each) => each.patch(SYSTEM, boot));
  await redfishPower.getPowerState(task);
  bmc.forget();
  await change();
  assert.deepEqual(bmc.forget(), [`PATCH ${SYSTEM}`, `PATCH ${SYSTEM}`]);
  await redfishPower.getPowerState(task);
  bmc.forget();
  await change();
  assert.deepEqual(bmc.forget(), [`PATCH ${SYSTEM}`]);
});

test('a PATCH that the BMC refuses with and without If-Match fails with its first reason', async (t) => {
  const { bmc, task } = await redfishLab(t, { differences: { etag: 'strong' } });
  await redfishPower.getPowerState(task);
  for (const text of ['no such target', 'something else'])
    bmc.faults.add({ method: 'PATCH', does: { kind: 'answer', status: 400, text } });
  await rejectsFault(
    converse(task, { operation: 'Changing' }, (each) => each.patch(SYSTEM, boot)),
    'BmcRefused',
    /no such target/,
  );
});

test('a reading fails at once for an untrusted certificate, and the message names redfish_verify_ca', async (t) => {
  const files = certificateFiles(t);
  files.install('first');
  const [key, cert] = [readFileSync(files.key, 'utf8'), readFileSync(files.cert, 'utf8')];
  const { task } = await redfishLab(t, { certificate: { key, cert } });
  await rejectsFault(redfishPower.getPowerState(task), 'BmcFailure', /certificate.*redfish_verify_ca/);
  assert.deepEqual(task.sleeps, []);
  await task.update({ driver_info: { ...task.node.driver_info, redfish_verify_ca: false } });
  assert.equal(await redfishPower.getPowerState(task), 'power off');
});

test('all pages of a collection are read, and missing members are left out', async (t) => {
  const { bmc, task } = await redfishLab(t);
  const page = '/redfish/v1/Chassis?$skip=1';
  bmc.overrides.set('/redfish/v1/Chassis', {
    Members: [link('/redfish/v1/Chassis/1'), link('/redfish/v1/Chassis/gone')],
    'Members@odata.nextLink': page.replace('?$skip=1', '/more'),
  });
  bmc.overrides.set('/redfish/v1/Chassis/more', { Members: [link('/redfish/v1/Chassis/1')] });
  const members = await converse(task, { operation: 'Reading' }, (each) =>
    each.members('/redfish/v1/Chassis'),
  );
  assert.deepEqual(
    members.map(({ Id }) => Id),
    ['1', '1'],
  );
});

test('a collection whose pages do not end is read up to a limit, with a warning', async (t) => {
  const { bmc, task } = await redfishLab(t);
  const path = '/redfish/v1/Chassis';
  bmc.overrides.set(path, { Members: [link(`${path}/1`)], 'Members@odata.nextLink': path });
  const members = await converse(task, { operation: 'Reading' }, (each) => each.memberPaths(path));
  assert.equal(members.length, 50);
  assert.match(JSON.stringify(task.logged), /too many pages of a collection/);
});

test('neither the fault nor the log of a failed reading contains the password', async (t) => {
  const { bmc, task } = await redfishLab(t);
  await redfishPower.getPowerState(task);
  bmc.faults.add({ times: 5, does: { kind: 'cut' } });
  const error = await redfishPower.getPowerState(task).then(String, String);
  assert.doesNotMatch(`${error}${JSON.stringify(task.logged)}`, /secret/);
});
