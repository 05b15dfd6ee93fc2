import assert from 'node:assert/strict';
import { test } from 'node:test';
import { converse } from '../../../../plugins/redfish/bmc/converse.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { redfishLab } from '../redfish-lab.ts';

const SYSTEM = '/redfish/v1/Systems/1';
const PART = '/redfish/v1/Chassis/1';
const reading = { operation: 'Reading' };
const cut = '{"Members": [{"@odata.id"';

test('an optional part that is refused or broken is named once in the log, and the rest is read', async (t) => {
  for (const [fault, reason] of [
    [{ status: 400 }, 'HTTP status 400'],
    [{ status: 403 }, 'HTTP status 403'],
    [{ status: 500, text: 'Out\nof memory' }, 'HTTP status 500, Out of memory'],
    [{ status: 200, text: '<html>Log in</html>' }, 'its answer is not a JSON object'],
    [{ status: 200, text: cut }, 'its answer is not a JSON object'],
    [{ status: 200, text: '[]' }, 'its answer is not a JSON object'],
  ] as const) {
    const { bmc, task } = await redfishLab(t);
    bmc.faults.add({ path: PART, times: 99, does: { kind: 'answer', ...fault } });
    const found = await converse(task, reading, async (each) => [
      await each.optional('the chassis', () => each.get(PART)),
      (await each.system())['Id'],
    ]);
    assert.deepEqual(found, [undefined, '1']);
    const warnings = task.logged.filter(({ level }) => level === 'warn');
    assert.deepEqual(
      warnings.map(({ fields }) => fields),
      [{ operation: 'Reading', unread: [`the chassis: ${reason}`] }],
    );
  }
});

test('an optional part that the BMC does not have is not worth a word', async (t) => {
  const { bmc, task } = await redfishLab(t);
  bmc.overrides.set(PART, null);
  const found = await converse(task, reading, (each) => each.optional('the chassis', () => each.get(PART)));
  assert.equal(found, undefined);
  assert.deepEqual(task.logged, []);
});

test('an optional part whose answer never ends is given up, if the BMC answers elsewhere', async (t) => {
  const { bmc, task } = await redfishLab(t);
  bmc.faults.add({ path: PART, times: 99, does: { kind: 'cut' } });
  await converse(task, reading, async (each) => {
    assert.equal(await each.optional('the chassis', () => each.get(PART)), undefined);
    assert.deepEqual(each.unread, ['the chassis: it closed the connection before its reply was complete']);
  });
});

test('an optional part fails like any other when the BMC does not answer, refuses the login or the task ends', async (t) => {
  const optional = (task: Parameters<typeof converse>[0]) =>
    converse(task, reading, (each) => each.optional('the chassis', () => each.get(PART)));
  const silent = await redfishLab(t);
  silent.bmc.faults.add({ times: 99, does: { kind: 'cut' } });
  await rejectsFault(optional(silent.task), 'BmcFailure', /closed the connection/);
  const refused = await redfishLab(t, { info: { redfish_password: 'wrong' } });
  await rejectsFault(optional(refused.task), 'BmcCredentialsRefused', /Wrong user name/);
  const ended = await redfishLab(t);
  await assert.rejects(
    converse(ended.task, reading, (each) =>
      each.optional('the chassis', () => {
        ended.task.abort();
        return each.get(PART);
      }),
    ),
    { name: 'AbortError' },
  );
});

test('each member of a collection is optional by itself', async (t) => {
  const { bmc, task } = await redfishLab(t);
  const cards = `${SYSTEM}/EthernetInterfaces`;
  await converse(task, reading, async (each) => {
    const [first = '', ...rest] = await each.memberPaths(cards);
    assert.equal(rest.length, 1);
    bmc.faults.add({ path: first, times: 99, does: { kind: 'answer', status: 500 } });
    const found = await each.optionalMembers('the network cards', cards);
    assert.deepEqual(
      found.map((card) => card['@odata.id']),
      rest,
    );
    assert.deepEqual(each.unread, [`the network cards (${first}): HTTP status 500`]);
    bmc.faults.add({ path: cards, times: 99, does: { kind: 'answer', status: 400 } });
    assert.deepEqual(await each.optionalMembers('the network cards', cards), []);
    assert.deepEqual(await each.optionalMembers('the network cards', undefined), []);
    assert.equal(each.unread.at(-1), 'the network cards: HTTP status 400');
  });
});

test('a BMC that announces $expand and refuses it is read without, and not asked for it again', async (t) => {
  const cards = `${SYSTEM}/EthernetInterfaces`;
  for (const does of [
    { kind: 'answer', status: 400 },
    { kind: 'answer', status: 500 },
    { kind: 'answer', status: 501 },
    { kind: 'answer', status: 200, text: '<html></html>' },
    { kind: 'cut' },
  ] as const) {
    const { bmc, task } = await redfishLab(t, { differences: { expand: true } });
    const read = () => converse(task, reading, (each) => each.members(cards));
    await converse(task, reading, (each) => each.remedies());
    bmc.faults.add({ path: cards, isWholePath: true, times: refusals(does), does });
    const found = await read();
    assert.equal(found.length, 2);
    bmc.forget();
    assert.deepEqual(await read(), found);
    assert.deepEqual(
      bmc.forget(),
      [cards, `${cards}/NIC.1`, `${cards}/NIC.2`].map((path) => `GET ${path}`),
    );
  }
});

test('a collection that exists neither with its members nor without is absent, and $expand stays in use', async (t) => {
  const { bmc, task } = await redfishLab(t, { differences: { expand: true } });
  const read = (path: string) => converse(task, reading, (each) => each.optionalMembers('the parts', path));
  assert.deepEqual(await read(`${SYSTEM}/Nothing`), []);
  bmc.forget();
  assert.equal((await read(`${SYSTEM}/EthernetInterfaces`)).length, 2);
  assert.deepEqual(bmc.forget(), [`GET ${SYSTEM}/EthernetInterfaces`]);
});

test('a collection without a list of members is not read as an empty one', async (t) => {
  const { bmc, task } = await redfishLab(t);
  const path = '/redfish/v1/Chassis';
  const read = () => converse(task, reading, (each) => each.members(path));
  for (const body of [{}, { Members: 'none' }, { Members: null, 'Members@odata.count': 3 }]) {
    bmc.overrides.set(path, body);
    await rejectsFault(read(), 'BmcRefused', /Chassis is no collection: its Members are not a list/);
  }
  bmc.overrides.set(path, { 'Members@odata.count': 0 });
  assert.deepEqual(await read(), []);
});

test('an answer that is no resource, or one of another type, is not read as a system that reports nothing', async (t) => {
  const { bmc, task } = await redfishLab(t);
  const read = () => converse(task, reading, (each) => each.system());
  for (const [text, reason] of [
    ['{}', /Systems\/1 is no Redfish resource/],
    ['{"message": "please log in"}', /neither @odata\.id nor @odata\.type/],
    ['{"@odata.type": "#Manager.v1_0_0.Manager"}', /is no ComputerSystem but #Manager/],
  ] as const) {
    bmc.faults.add({ path: SYSTEM, does: { kind: 'answer', status: 200, text } });
    await rejectsFault(read(), 'BmcRefused', reason);
  }
});

test('an answer that is nested too deeply, or has too many values, is refused before it is parsed', async (t) => {
  const { bmc, task } = await redfishLab(t);
  const deep = `{"@odata.id": "/", "a": ${'['.repeat(500_000)}${']'.repeat(500_000)}}`;
  const wide = `{"@odata.id": "/", "a": [${'0,'.repeat(500_000)}0]}`;
  for (const text of [deep, wide]) {
    bmc.faults.add({ path: PART, times: 3, does: { kind: 'answer', status: 200, text } });
    await rejectsFault(
      converse(task, reading, (each) => each.get(PART)),
      'BmcRefused',
      /not a JSON object/,
    );
    bmc.faults.add({ path: PART, does: { kind: 'answer', status: 400, text } });
    await rejectsFault(
      converse(task, reading, (each) => each.get(PART)),
      'BmcRefused',
      /HTTP status 400$/,
    );
  }
});

/** How often the BMC refuses: as often as the driver asks for the members, and never without them. */
const refusals = (does: { readonly kind: string; readonly status?: number }): number =>
  does.kind === 'cut' || does.status === 200 ? 3 : does.status === 500 ? 2 : 1;
