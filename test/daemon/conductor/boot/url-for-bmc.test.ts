import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { NodeTask } from '../../../../daemon/conductor/tasks/task.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

test('the URL of a CD is below external_http_url if that is set, and else below the URL of the HTTP boot server', async (t) => {
  const daemon = await startInProcess(t);
  const { services } = daemon;
  services.networkBoots.serveFrom('http://10.0.0.1:8080');
  const images = path.join(daemon.stateDirectory, 'agent-images');
  mkdirSync(images);
  writeFileSync(path.join(images, 'boot.iso'), 'a CD');
  const cd = {
    kind: 'iso',
    iso: `file://${images}/boot.iso`,
    title: 'a CD',
    agentToken: false,
  } as const;
  const urlWith = async (driver_info: Readonly<Record<string, string>>) => {
    const { uuid } = await daemon.createNode({ driver_info });
    return new NodeTask({ services, caller: null }, daemon.node(uuid)).view.boot.serveCd(cd);
  };
  const name = String.raw`secret\/[\w-]{43}\/boot\.iso$`;
  assert.match(await urlWith({}), new RegExp(String.raw`^http:\/\/10\.0\.0\.1:8080\/${name}`));
  for (const external_http_url of ['https://198.51.100.1/boot', 'https://198.51.100.1/boot/'])
    assert.match(
      await urlWith({ external_http_url }),
      new RegExp(String.raw`^https:\/\/198\.51\.100\.1\/boot\/${name}`),
    );
  for (const external_http_url of ['198.51.100.1', 'ftp://198.51.100.1'])
    await rejectsFault(urlWith({ external_http_url }), 'DriverInfoInvalid', /an http or https URL/);
});
