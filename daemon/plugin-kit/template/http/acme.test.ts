import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rehearsalTask } from '#plugin-api/rehearsal';
import { acmePower } from './power.ts';
import { type ServiceProcessor, startServiceProcessor } from './service-processor.ts';
import { acmeVendor } from './vendor.ts';

let machine: ServiceProcessor;
before(async () => {
  machine = await startServiceProcessor();
});
after(() => machine.stop());

const taskOn = (address: string) =>
  rehearsalTask({
    node: { driver_info: { acme_address: address } },
    configuration: { acme: { request_timeout: 5 } },
  });

test('the machine goes on and off', async () => {
  const task = taskOn(machine.address);
  for (const target of ['power on', 'power off'] as const) {
    await acmePower.setPowerState(task, target, 60);
    assert.equal(await acmePower.getPowerState(task), target);
  }
});

test('the event log is read, and cleared by a step', async () => {
  const task = taskOn(machine.address);
  const { event_log } = acmeVendor.nodeMethods ?? {};
  assert.deepEqual(await event_log?.call(task, {}, 'GET'), { events: machine.events });
  assert.equal(await acmeVendor.steps?.['clear_event_log']?.run(task, {}), 'done');
  assert.deepEqual(machine.events, []);
});

test('the error names a service processor that does not answer, and says what to do', async () => {
  await assert.rejects(
    acmePower.getPowerState(taskOn('http://127.0.0.1:9')),
    /Reading the power state failed .*http:\/\/127\.0\.0\.1:9.*check driver_info\/acme_address/,
  );
});
