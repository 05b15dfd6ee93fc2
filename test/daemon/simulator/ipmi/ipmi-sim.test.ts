import assert from 'node:assert/strict';
import test from 'node:test';
import { startIpmiSim } from '../../../../daemon/simulator/ipmi/ipmi-sim.ts';

test('a missing ipmi_sim is reported with the Debian package to install', async () => {
  const path = process.env['PATH'];
  process.env['PATH'] = '/nonexistent';
  try {
    await assert.rejects(startIpmiSim(), {
      message: 'ipmi_sim is not installed; install the Debian package openipmi: apt install openipmi',
    });
  } finally {
    process.env['PATH'] = path;
  }
});

test('several BMCs run at the same time, each with its own state', async () => {
  const sims = await Promise.all([startIpmiSim(), startIpmiSim()]);
  try {
    sims[0].setPower('on');
    assert.deepEqual(
      sims.map((sim) => sim.power()),
      ['on', 'off'],
    );
    assert.notEqual(sims[0].port, sims[1].port);
  } finally {
    await Promise.all(sims.map((sim) => sim.stop()));
  }
});

test('a BMC that cannot start is reported', async () => {
  await assert.rejects(
    startIpmiSim({ kgKey: 'zz' }),
    /^Error: ipmi_sim on port \d+ ended with status 1 before/,
  );
});
