// One plugin, broken in many ways: each defect is reported in one sentence, most only when the plugin is enabled.
import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { startInProcess } from '../../fakes/in-process-daemon.ts';
import type { PluginFiles } from '../../fakes/plugin-folder.ts';
import { vendorFiles, vendorManifest, vendorPlugin } from '../../fakes/vendor-plugin.ts';

/** `aside`: the folder is reported and skipped; `unused`: its code is not loaded; `refused`: the start fails. */
type WhenNotEnabled = 'aside' | 'unused' | 'refused';

interface Variant {
  readonly what: string;
  readonly files?: PluginFiles;
  /** Changes the search path before the start. */
  readonly prepare?: (searchPath: string) => void;
  readonly sentence: RegExp;
  readonly otherwise: WhenNotEnabled;
}

const POWER = 'ironic.hardware.interfaces.power';
const manifest = (more: object) => ({ 'rackpower/plugin.json': { ...vendorManifest, ...more } });
const entry = (target: string) =>
  manifest({ entryPoints: { ...vendorManifest.entryPoints, [POWER]: { rackpower: target } } });
const type = (more: object) => manifest({ hardwareTypes: { rackserver: { supported: {}, ...more } } });
const power = (code: string) => ({ 'rackpower/power.ts': code });
const interfaceOf = (more: string) =>
  power(`import { rackPower as good } from './good.ts';\nexport const rackPower = { ...good, ${more} };`);
const good = { 'rackpower/good.ts': vendorFiles['rackpower/power.ts'] };

const variants: readonly Variant[] = [
  {
    what: 'invalid JSON',
    files: { 'rackpower/plugin.json': '{ "name": ' },
    sentence: /rackpower\/plugin\.json cannot be read: .*JSON/,
    otherwise: 'aside',
  },
  {
    what: 'an empty manifest',
    files: { 'rackpower/plugin.json': '' },
    sentence: /plugin\.json cannot be read/,
    otherwise: 'aside',
  },
  {
    what: 'a manifest without a version',
    files: manifest({ version: undefined }),
    sentence: /must have required property 'version'/,
    otherwise: 'aside',
  },
  {
    what: 'a pluginApi range that excludes this daemon',
    files: manifest({ pluginApi: '^2.0' }),
    sentence: /pluginApi \^2\.0 does not admit this daemon's plugin API/,
    otherwise: 'aside',
  },
  {
    what: 'an unknown group of entry points',
    files: manifest({ entryPoints: { 'ironic.hardware.interfaces.magic': {} } }),
    sentence: /entryPoints must NOT have additional properties/,
    otherwise: 'aside',
  },
  {
    what: 'an option of an unknown type',
    files: manifest({
      configuration: { rackpower: { type: 'object', properties: { row: { type: 'date' } } } },
    }),
    sentence: /configuration\/rackpower\/properties\/row/,
    otherwise: 'aside',
  },
  {
    what: 'an entry point that is not TypeScript or JavaScript',
    files: entry('./power.py:rackPower'),
    sentence: /rackpower must match pattern/,
    otherwise: 'aside',
  },
  {
    what: 'a path that leaves the folder',
    files: entry('./../elsewhere.ts:rackPower'),
    prepare: (path) => writeFileSync(join(path, 'elsewhere.ts'), ''),
    sentence: /entry point \.\/\.\.\/elsewhere\.ts:rackPower leads out of the plugin's folder/,
    otherwise: 'unused',
  },
  {
    what: 'a link that leaves the folder',
    files: entry('./link.ts:rackPower'),
    prepare(path) {
      writeFileSync(join(path, 'elsewhere.ts'), '');
      symlinkSync(join(path, 'elsewhere.ts'), join(path, 'rackpower/link.ts'));
    },
    sentence: /link\.ts:rackPower leads out of the plugin's folder to .*elsewhere\.ts/,
    otherwise: 'unused',
  },
  {
    what: 'a missing entry point file',
    files: entry('./missing.ts:rackPower'),
    sentence: /entry point \.\/missing\.ts:rackPower cannot be read: ENOENT/,
    otherwise: 'unused',
  },
  {
    what: 'a missing export',
    files: entry('./power.ts:other'),
    sentence: /power\.ts does not export an object named other/,
    otherwise: 'unused',
  },
  {
    what: 'an export that is a function',
    files: power('export const rackPower = () => 1;'),
    sentence: /does not export an object named rackPower/,
    otherwise: 'unused',
  },
  {
    what: 'code that throws at import',
    files: power('throw new Error("bang");'),
    sentence: /entry point rackpower .*power\.ts cannot be loaded: bang/,
    otherwise: 'unused',
  },
  {
    what: 'code that never finishes loading',
    files: power('await new Promise(() => {});'),
    sentence: /power\.ts cannot be loaded: it has not finished loading after 10 s/,
    otherwise: 'unused',
  },
  {
    what: 'code with a syntax error',
    files: power('export const = 5;'),
    sentence: /power\.ts cannot be loaded: /,
    otherwise: 'unused',
  },
  {
    what: 'TypeScript that must be compiled',
    files: power('export enum Power { on }'),
    sentence: /power\.ts cannot be loaded: .*enum is not supported/,
    otherwise: 'unused',
  },
  {
    what: 'an import of a missing package',
    files: power('import "no-such-package";'),
    sentence: /power\.ts cannot be loaded: Cannot find package 'no-such-package'/,
    otherwise: 'unused',
  },
  {
    what: 'a missing operation',
    files: { ...good, ...interfaceOf('getPowerState: undefined') },
    sentence: /rackPower of .*power\.ts lacks the function getPowerState/,
    otherwise: 'unused',
  },
  {
    what: 'an unknown power target',
    files: { ...good, ...interfaceOf('supportedTargets: ["on"]') },
    sentence: /has supportedTargets, which is not a list .*"power on"/,
    otherwise: 'unused',
  },
  {
    what: 'a secret property whose name is not masked',
    files: { ...good, ...interfaceOf('properties: { rackpower_pin: { description: "PIN", secret: true } }') },
    sentence: /secret property rackpower_pin, .*Its name must contain password, secret or token/,
    otherwise: 'unused',
  },
  {
    what: 'a step without a run function',
    files: { ...good, ...interfaceOf('steps: { wipe: { description: "Wipes", priorities: { clean: 5 } } }') },
    sentence: /has the step wipe, which lacks the function run/,
    otherwise: 'unused',
  },
  {
    what: 'an unknown interface',
    files: type({ extends: 'ipmi', supported: { power: ['rackpwr'] } }),
    sentence:
      /hardware type rackserver: no plugin provides rackpwr in ironic\.hardware\.interfaces\.power\. Known: .*ipmitool/,
    otherwise: 'unused',
  },
  {
    what: 'an interface type without an implementation',
    files: type({ supported: { power: ['rackpower'] } }),
    sentence: /Hardware type rackserver has no enabled bios interface/,
    otherwise: 'unused',
  },
  {
    what: 'an unknown parent type',
    files: type({ extends: 'ipmy' }),
    sentence: /hardware type rackserver extends ipmy, which no plugin provides/,
    otherwise: 'unused',
  },
  {
    what: 'a type that extends itself',
    files: type({ extends: 'rackserver' }),
    sentence: /rackserver extends itself: rackserver -> rackserver/,
    otherwise: 'unused',
  },
  {
    what: 'the name of another plugin',
    files: manifest({ name: 'ipmi' }),
    sentence: /the plugin name ipmi is provided twice: by .*plugins\/ipmi and by .*rackpower/,
    otherwise: 'refused',
  },
  {
    what: 'the name of another interface',
    files: manifest({ entryPoints: { [POWER]: { ipmitool: './power.ts:rackPower' } } }),
    sentence: /power:ipmitool is provided twice: by .*plugins\/ipmi and by .*rackpower/,
    otherwise: 'refused',
  },
  {
    what: 'the name of another hardware type',
    files: manifest({ hardwareTypes: { ipmi: { supported: {} } } }),
    sentence: /ipmi is provided twice: by .*plugins\/ipmi and by .*rackpower/,
    otherwise: 'refused',
  },
  {
    what: 'an option that the daemon declares',
    files: manifest({
      configuration: { api: { type: 'object', properties: { port: { type: 'integer', default: 1 } } } },
    }),
    sentence: /\[api\] port is declared by the core and by plugin rackpower/,
    otherwise: 'refused',
  },
];

const start = (t: TestContext, { files = {}, prepare }: Variant, hardwareTypes: string) => {
  const path = vendorPlugin(t, files);
  prepare?.(path);
  return startInProcess(t, {
    ini: `enabled_hardware_types = ${hardwareTypes}\nenabled_bios_interfaces = no-bios\n[plugins]\npath = ${path}\n`,
  });
};

// one variant waits for its import to time out
describe('a broken plugin', { concurrency: 4 }, () => {
  for (const variant of variants) {
    test(`${variant.what} stops the start with one sentence when enabled`, async (t) => {
      await assert.rejects(start(t, variant, 'rackserver'), (error: Error) => {
        assert.match(error.message, variant.sentence);
        assert.ok(error.message.split('\n').length <= 3, error.message);
        return true;
      });
    });
    test(`${variant.what} ${variant.otherwise === 'refused' ? 'stops the start' : 'does not stop the start'} when not enabled`, async (t) => {
      const starting = start(t, variant, 'fake-hardware');
      if (variant.otherwise === 'refused') {
        await assert.rejects(starting, variant.sentence);
        return;
      }
      const daemon = await starting;
      await daemon.createNode();
      const aside = daemon
        .log()
        .split('\n')
        .filter((line) => line.includes('plugin set aside'));
      assert.equal(aside.length, variant.otherwise === 'aside' ? 1 : 0);
      if (variant.otherwise === 'aside') assert.match(aside.join(), variant.sentence);
    });
  }
});

test('the unbroken plugin works', async (t) => {
  const daemon = await start(t, { what: '', sentence: /x/, otherwise: 'unused' }, 'rackserver');
  const { body } = await daemon.request('GET', '/v1/drivers/rackserver');
  assert.equal(body['default_power_interface'], 'rackpower');
});
