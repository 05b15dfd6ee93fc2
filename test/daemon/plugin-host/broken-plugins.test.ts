// The daemon starts without a broken plugin. It always says why if the plugin is enabled, and otherwise for some defects.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';
import { vendorPlugin } from '../../fakes/vendor-plugin.ts';
import { variants } from './broken-variants.ts';
import type { Variant } from './variant.ts';

const start = (t: TestContext, { files = {}, prepare }: Variant, hardwareTypes: string) => {
  const path = vendorPlugin(t, files);
  prepare?.(path);
  return startInProcess(t, {
    ini: `enabled_hardware_types = ${hardwareTypes}\nenabled_bios_interfaces = no-bios\n[plugins]\npath = ${path}\n`,
  });
};

/** The reasons in the lines of the log that have this message. */
const reasonsIn = (log: string, message: string): readonly string[] =>
  log
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`))
    .map((line) => (JSON.parse(line) as { readonly reason: string }).reason);

// concurrently, because one of the variants waits until its import times out
describe('a broken plugin', { concurrency: 4 }, () => {
  for (const variant of variants) {
    test(`${variant.what}: the daemon starts without the plugin although it is enabled, and says why in at most three lines`, async (t) => {
      const daemon = await start(t, variant, 'rackserver,fake-hardware');
      const reasons = reasonsIn(daemon.log(), 'plugin set aside');
      assert.match(reasons.join(), variant.sentence);
      assert.ok(reasons.every((reason) => reason.split('\n').length <= 3));
      const lost = reasonsIn(daemon.log(), 'something that is enabled is not loaded');
      assert.match(lost.join(), /\[DEFAULT\] enabled_hardware_types: no plugin provides rackserver\./);
      const { status, fault } = await daemon.request('POST', '/v1/nodes', { body: { driver: 'rackserver' } });
      assert.equal(status, 400);
      assert.match(fault, /rackserver.*It is not enabled; enabled drivers: fake-hardware/);
      await daemon.createNode({ driver: 'fake-hardware' });
    });
    test(`${variant.what} does not stop the start if the plugin is not enabled`, async (t) => {
      const daemon = await start(t, variant, 'fake-hardware');
      await daemon.createNode();
      const reasons = reasonsIn(daemon.log(), 'plugin set aside');
      assert.equal(reasons.length, variant.otherwise === 'aside' ? 1 : 0);
      if (variant.otherwise === 'aside') assert.match(reasons.join(), variant.sentence);
    });
  }
});

test('the unbroken plugin works', async (t) => {
  const daemon = await start(t, { what: '', sentence: /x/, otherwise: 'unused' }, 'rackserver');
  const { body } = await daemon.request('GET', '/v1/drivers/rackserver');
  assert.equal(body['default_power_interface'], 'rackpower');
});

const copy = (path: string) =>
  cpSync(join(path, 'rackpower'), join(path, 'a-copy-of-rackpower'), { recursive: true });

test('a copy of the plugin in another folder is set aside, and the plugin works', async (t) => {
  const daemon = await start(t, { what: '', sentence: /x/, otherwise: 'aside', prepare: copy }, 'rackserver');
  assert.equal((await daemon.request('GET', '/v1/drivers/rackserver')).status, 200);
  assert.match(daemon.log(), /a-copy-of-rackpower: the plugin name rackpower is already provided by/);
});
