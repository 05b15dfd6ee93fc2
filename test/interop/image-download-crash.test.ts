// kill -9 of the daemon while it downloads the image of a deployment.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../../daemon/lib/clock.ts';
import { plugInRack } from '../../daemon/simulator/rack.ts';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';
import { freeTcpPort } from '../../daemon/simulator/free-port.ts';
import { digest, disk, MEBIBYTE } from '../fakes/images.ts';

const PAUSE_MILLISECONDS = 50;
const content = disk('an instance', 8 * MEBIBYTE);

/** A server that answers a request with half of the image and then sends nothing; after `recover`, with the whole image. */
async function imageServer(t: TestContext) {
  let isWell = false;
  const halves: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    response.setHeader('content-length', content.length);
    if (isWell) response.end(content);
    else response.write(content.subarray(0, content.length / 2), () => halves.push(response));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/disk.raw`,
    halves,
    recover: () => {
      isWell = true;
    },
  };
}

async function site(t: TestContext) {
  const environment = {
    IRONIC_API__PORT: String(await freeTcpPort()),
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'simulated',
    IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8',
    IRONIC_AGENT__IMAGE_DOWNLOAD_SOURCE: 'local',
    IRONIC_CONDUCTOR__AUTOMATED_CLEAN: 'false',
    IRONIC_CONDUCTOR__IMAGE_SERVER_NETWORKS: '127.0.0.0/8',
    IRONIC_BOOT_HTTP__HOST_IP: '127.0.0.1',
    IRONIC_BOOT_HTTP__PORT: '0',
  };
  const daemon = await DaemonProcess.start(environment);
  t.after(() => daemon[Symbol.asyncDispose]());
  const [machine] = await plugInRack({
    size: 1,
    url: daemon.url,
    clock: systemClock,
    bootSeconds: 0.1,
    stepSeconds: 0.1,
    fetchesImages: true,
    tell: () => undefined,
  });
  assert.ok(machine !== undefined);
  t.after(() => machine.machine.unplug());
  const node = `/v1/nodes/${machine.node}`;
  const provision = async (target: string) =>
    assert.equal((await daemon.request('PUT', `${node}/states/provision`, { target })).status, 202);
  const reaches = async (state: string) => {
    for (;;) {
      const { body } = await daemon.request<{ provision_state: string; last_error: string | null }>(
        'GET',
        node,
      );
      if (body.provision_state === state) return body;
      assert.ok(!body.provision_state.endsWith('failed'), String(body.last_error));
      await setTimeout(PAUSE_MILLISECONDS);
    }
  };
  return { daemon, node, provision, reaches, restart: () => daemon.restart(environment) };
}

const copiesOf = ({ statePath }: DaemonProcess): readonly string[] =>
  readdirSync(path.join(statePath, 'images'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

test('a daemon killed during an image download fails the deployment, keeps no copy, and deploys when asked again', async (t) => {
  const images = await imageServer(t);
  const { daemon, node, provision, reaches, restart } = await site(t);
  await provision('manage');
  await reaches('manageable');
  await provision('provide');
  await reaches('available');
  await daemon.request('PATCH', node, [
    {
      op: 'add',
      path: '/instance_info',
      value: { image_source: images.url, image_checksum: digest(content), image_disk_format: 'raw' },
    },
  ]);
  await provision('active');
  while (images.halves.length === 0) await setTimeout(PAUSE_MILLISECONDS);
  await daemon.kill();
  await restart();
  const failed = await reaches('deploy failed');
  assert.match(failed.last_error ?? '', /restarted/);
  assert.deepEqual(copiesOf(daemon), []);
  images.recover();
  await provision('active');
  await reaches('active');
  assert.notDeepEqual(copiesOf(daemon), []);
});
