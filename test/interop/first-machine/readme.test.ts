// The commands of "A first machine" in the README, against a BMC without a machine: all of them but the inspection and the end of
// the deployment. The case first-machine of `npm run life` has the machine, too.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { skipWithout } from '../../setup/packages.ts';

const wanted = ['python3-ironicclient', 'openipmi', 'ipmitool', 'iproute2', 'ipxe', 'xorriso'] as const;
const skip = wanted.map((name) => skipWithout(name)).find((reason) => reason !== false);

test('the commands of the first machine are accepted one after another', { skip: skip ?? false }, () => {
  const namespaces = [
    '--map-root-user',
    '--net',
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
  ];
  const inside = path.join(import.meta.dirname, 'inside.ts');
  const { status, stdout, stderr } = spawnSync('unshare', [...namespaces, process.execPath, inside], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout + stderr);
});
