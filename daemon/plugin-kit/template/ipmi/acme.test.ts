import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingPrograms, startIpmiSim } from '#plugin-api/fake-ipmi';
import { rehearsalTask } from '#plugin-api/rehearsal';
import { clearEventLog } from './management.ts';

const configuration = {
  ipmi: {
    command_retry_timeout: 5,
    min_command_interval: 0,
    disable_boot_timeout: true,
    cipher_suite_versions: [],
  },
};

// the simulated BMC is ipmi_sim, from the Debian package openipmi
test('the event log is cleared', { skip: await missingPrograms() }, async (t) => {
  const machine = await startIpmiSim();
  t.after(() => machine.stop());
  const driver_info = {
    ipmi_address: machine.address,
    ipmi_port: machine.port,
    ipmi_username: machine.username,
    ipmi_password: machine.password,
    // negotiating a cipher suite with ipmi_sim takes seconds
    ipmi_cipher_suite: '3',
  };
  assert.equal(
    await clearEventLog.run(rehearsalTask({ node: { driver: 'acme', driver_info }, configuration }), {}),
    'done',
  );
});
