import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FakeRedfish, startFakeRedfish } from '#plugin-api/fake-redfish';
import { rehearsalTask } from '#plugin-api/rehearsal';
import { clearEventLogs } from './management.ts';

// a machine with a Redfish BMC in memory
let fake: FakeRedfish;
before(async () => {
  fake = await startFakeRedfish();
});
after(() => fake.stop());

const task = () =>
  rehearsalTask({
    node: {
      driver: 'acme',
      driver_info: { redfish_address: fake.address, redfish_username: 'admin', redfish_password: 'secret' },
    },
    configuration: {
      redfish: { auth_type: 'auto', read_timeout: 10, connect_timeout: 5, connection_attempts: 1 },
    },
  });

test('the event logs that can be cleared are cleared', async () => {
  const logs = `${fake.bmc.paths.manager}/LogServices`;
  const target = `${logs}/SEL/Actions/LogService.ClearLog`;
  // an Acme BMC has event logs, the simulated BMC has none
  fake.bmc.overrides.set(logs, {
    Members: [{ '@odata.id': `${logs}/SEL` }, { '@odata.id': `${logs}/Audit` }],
  });
  fake.bmc.overrides.set(`${logs}/SEL`, { Id: 'SEL', Actions: { '#LogService.ClearLog': { target } } });
  fake.bmc.overrides.set(`${logs}/Audit`, { Id: 'Audit' });
  fake.bmc.faults.add({ method: 'POST', path: target, does: { kind: 'answer', status: 204 } });
  fake.bmc.forget();
  assert.equal(await clearEventLogs.run(task(), {}), 'done');
  const posts = fake.bmc
    .forget()
    .filter((request) => request.startsWith('POST') && !request.includes('Session'));
  assert.deepEqual(posts, [`POST ${target}`]);
});

test('the step succeeds on a BMC without event logs', async () => {
  fake.bmc.overrides.clear();
  fake.bmc.forget();
  assert.equal(await clearEventLogs.run(task(), {}), 'done');
  assert.ok(fake.bmc.forget().includes(`GET ${fake.bmc.paths.manager}/LogServices`));
});

test('a BMC that does not answer fails the step with BmcFailure', async () => {
  fake.bmc.faults.add({ does: { kind: 'cut' }, times: 100 });
  await assert.rejects(Promise.resolve(clearEventLogs.run(task(), {})), { code: 'BmcFailure' });
  fake.bmc.faults.clear();
});
