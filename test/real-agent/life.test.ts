// The whole life of a machine with the real agent: nothing is simulated but the machine's hardware.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { httpServer } from '../fakes/services/http-server.ts';
import { digest } from '../fakes/images.ts';
import { partitionedDisk } from './instance-image.ts';
import { skip, startSite } from './site.ts';

test(
  'a machine is inspected, cleaned, deployed, rescued and undeployed with the real agent',
  { skip },
  async (t) => {
    const { enrol } = await startSite(t);
    const image = partitionedDisk(t);
    const server = await httpServer(t, (_request, response) => void response.end(image));
    const node = await enrol(t, {
      instance_info: {
        image_source: `http://127.0.0.1:${server.port}/disk.raw`,
        image_checksum: digest(image),
        image_disk_format: 'raw',
      },
    });
    const phase = stopwatch(t);
    await node.addPort();
    await node.reach('manage', 'manageable');
    phase('manage');
    await node.reach('inspect', 'manageable');
    phase('inspect');
    const { ports } = await node.request<{ ports: readonly { address: string }[] }>(
      'GET',
      `/v1/nodes/${node.uuid}/ports`,
    );
    assert.deepEqual(
      ports.map(({ address }) => address),
      [node.mac],
    );
    await node.reach('provide', 'available');
    phase('provide');

    await node.reach('active', 'active', { configdrive: { meta_data: { name: 'one' }, user_data: 'hello' } });
    phase('deploy');
    assert.equal(node.machine.runs, 'instance');
    assert.match(node.machine.partition(2).toString('latin1'), /hello/);

    await node.reach('rescue', 'rescue', { rescue_password: 'correct horse' });
    phase('rescue');
    await node.reach('unrescue', 'active');
    phase('unrescue');
    await node.reach('deleted', 'available');
    phase('undeploy');
    assert.doesNotMatch(execFileSync('sgdisk', ['-p', node.machine.disk], { encoding: 'utf8' }), /^ +1 /m);
  },
);

function stopwatch(t: { diagnostic(message: string): void }): (phase: string) => void {
  let last = performance.now();
  return (phase) => {
    const now = performance.now();
    t.diagnostic(`${phase} ${((now - last) / 1000).toFixed(1)} s`);
    last = now;
  };
}
