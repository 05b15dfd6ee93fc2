import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { systemClock } from '../../../daemon/lib/clock.ts';
import { SimulatedAppliance, USERS } from '../../../daemon/simulator/oneview/appliance.ts';
import { sdkPython, skipWithoutOneviewSdk } from '../../setup/oneview-sdk.ts';

const skip = skipWithoutOneviewSdk();

test("HPE's own SDK works with the simulated appliance", { skip }, async (t) => {
  const appliance = await SimulatedAppliance.start({
    clock: systemClock,
    tls: true,
    pageSize: 2,
    applySeconds: 0.1,
  });
  const folder = mkdtempSync(path.join(tmpdir(), 'oneview-sdk-'));
  t.after(() => {
    appliance.stop();
    rmSync(folder, { recursive: true });
  });
  for (const number of [1, 2, 3]) appliance.addServer(number);
  const bundle = path.join(folder, 'ca.pem');
  writeFileSync(bundle, appliance.ca ?? '');
  const script = path.join(import.meta.dirname, 'sdk.py');
  const words = [script, new URL(appliance.url).host, bundle, USERS.operator];
  const { stdout } = await promisify(execFile)(sdkPython, words, { timeout: 100_000 });
  const {
    second,
    'delete while on': refused,
    'old version': old,
    ...seen
  } = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual(seen, {
    servers: ['Encl1, bay 1', 'Encl1, bay 2', 'Encl1, bay 3'],
    type: 'ServerProfileV11',
    created: ['made by the SDK', 'Normal'],
    assigned: true,
    power: 'On',
    console: 'hplocons://addr',
    order: ['PXE', 'HardDisk', 'CD', 'USB'],
    freed: null,
  });
  assert.match(String(second), /ProfileAlreadyExistsInServer/);
  assert.match(String(refused), /SERVER_NOT_OFF/);
  assert.match(String(old), /version/i);
  assert.equal(appliance.state.profiles.size, 0);
  assert.equal(appliance.sessions.size, 0);
});
