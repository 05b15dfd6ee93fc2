// A broken plugin stops the start with a short message if it is enabled. Otherwise the daemon starts, and logs only some defects.
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

// concurrently, because one of the variants waits until its import times out
describe('a broken plugin', { concurrency: 4 }, () => {
  for (const variant of variants) {
    test(`${variant.what} stops the start with an error of at most three lines if the plugin is enabled`, async (t) => {
      await assert.rejects(start(t, variant, 'rackserver'), (error: Error) => {
        assert.match(error.message, variant.sentence);
        assert.ok(error.message.split('\n').length <= 3, error.message);
        return true;
      });
    });
    test(`${variant.what} does not stop the start if the plugin is not enabled`, async (t) => {
      const daemon = await start(t, variant, 'fake-hardware');
      await daemon.createNode();
      const aside = daemon
        .log()
        .split('\n')
        .filter((line) => line.includes('plugin set aside'));
      assert.equal(aside.length, variant.otherwise === 'aside' ? 1 : 0);
      const reasons = aside.map((line) => (JSON.parse(line) as { readonly reason: string }).reason);
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
