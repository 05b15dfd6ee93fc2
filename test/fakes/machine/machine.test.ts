import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulatedSite } from '../simulated-site.ts';

test('a simulated machine is verified, inspected by its ramdisk and powered off', async (t) => {
  const site = await simulatedSite(t);
  const [{ node }] = site.rack as [(typeof site.rack)[0]];
  await site.provision(node, 'manage');
  await site.reaches(node, 'manageable');
  await site.provision(node, 'inspect');
  await site.reaches(node, 'inspect wait');
  const inspected = await site.reaches(node, 'manageable');
  assert.equal(inspected.last_error, null);
  assert.equal(inspected.power_state, 'power off');
  assert.equal(inspected.properties['cpu_arch'], 'x86_64');
  console.log(site.told.join('\n'));
});
