import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { startIpmiSim } from '../../../../daemon/simulator/ipmi/ipmi-sim.ts';

const MACHINE_BMC = new URL('../../../../daemon/simulator/ipmi/machine-bmc.ts', import.meta.url).href;

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

test('a BMC that cannot be started leaves no folder, and nothing that keeps the process alive', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ipmi-sim-test-'));
  try {
    const code = `import { startBmc } from ${JSON.stringify(MACHINE_BMC)};
      await startBmc({ address: '127.0.0.1', port: 1 }, {}).catch(({ message }) => console.log(message));`;
    const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      env: { PATH: '/nonexistent', TMPDIR: folder },
      encoding: 'utf8',
      timeout: 300_000,
    });
    assert.match(stdout, /^ipmi_sim is not installed/);
    assert.equal(signal, null);
    assert.deepEqual(readdirSync(folder), []);
  } finally {
    rmSync(folder, { recursive: true });
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
