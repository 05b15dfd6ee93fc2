// One plugin, broken in many ways, with the sentence that reports each.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vendorManifest } from '../../fakes/vendor-plugin.ts';
import { brokenCode } from './broken-code.ts';
import type { Variant } from './variant.ts';

const POWER = 'ironic.hardware.interfaces.power';
const manifest = (more: object) => ({ 'rackpower/plugin.json': { ...vendorManifest, ...more } });
const entry = (target: string) =>
  manifest({ entryPoints: { ...vendorManifest.entryPoints, [POWER]: { rackpower: target } } });
const type = (more: object) => manifest({ hardwareTypes: { rackserver: { supported: {}, ...more } } });

export const variants: readonly Variant[] = [
  ...brokenCode,
  {
    what: 'invalid JSON',
    files: { 'rackpower/plugin.json': '{ "name": ' },
    sentence: /rackpower\/plugin\.json:1:11: cannot be read: .*JSON/,
    otherwise: 'aside',
  },
  {
    what: 'an empty manifest',
    files: { 'rackpower/plugin.json': '' },
    sentence: /plugin\.json:1:1: cannot be read/,
    otherwise: 'aside',
  },
  {
    what: 'a manifest without a version',
    files: manifest({ version: undefined }),
    sentence: /plugin\.json:1:1: the manifest must have required property 'version'/,
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
    files: manifest({ entryPoints: { 'ironic.hardware.interfaces.pwer': {} } }),
    sentence:
      /plugin\.json:\d+:\d+: entryPoints has the unknown key "ironic\.hardware\.interfaces\.pwer"; did you mean "ironic\.hardware\.interfaces\.power"\?/,
    otherwise: 'aside',
  },
  {
    what: 'an option of an unknown type',
    files: manifest({
      configuration: { rackpower: { type: 'object', properties: { row: { type: 'date' } } } },
    }),
    sentence: /configuration\.rackpower\.properties\.row/,
    otherwise: 'aside',
  },
  {
    what: 'an entry point that is not TypeScript or JavaScript',
    files: entry('./power.py:rackPower'),
    sentence:
      /rackpower is "\.\/power\.py:rackPower"; expected a file of this folder .* as in "\.\/power\.ts:acmePower"/,
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
    what: 'code that is a pipe',
    prepare(path) {
      rmSync(join(path, 'rackpower/power.ts'));
      execFileSync('mkfifo', [join(path, 'rackpower/power.ts')]);
    },
    sentence: /power\.ts:rackPower is not a regular file/,
    otherwise: 'unused',
  },
  {
    what: 'a manifest that cannot be read',
    prepare(path) {
      rmSync(join(path, 'rackpower/plugin.json'));
      symlinkSync('plugin.json', join(path, 'rackpower/plugin.json'));
    },
    sentence: /ELOOP: .*rackpower\/plugin\.json/,
    otherwise: 'aside',
  },
  {
    what: 'an unknown interface',
    files: type({ extends: 'ipmi', supported: { power: ['rackpwr'] } }),
    sentence:
      /hardware type rackserver: no plugin provides rackpwr in ironic\.hardware\.interfaces\.power\. Known: .*ipmitool/,
    checked:
      /plugin\.json: hardwareTypes\.rackserver\.supported\.power: no plugin provides rackpwr .* Known: .*ipmitool/,
    otherwise: 'unused',
  },
  {
    what: 'an interface type without an implementation',
    files: type({ supported: { power: ['rackpower'] } }),
    sentence: /Hardware type rackserver has no enabled bios interface/,
    checked: /it supports no bios, boot, console, .*, vendor interface; .* of plugin\.json, or extend a type/,
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
    sentence: /rackpower: the plugin name ipmi is already provided by .*plugins\/ipmi; remove or rename one/,
    otherwise: 'aside',
  },
  {
    what: 'the name of another interface',
    files: manifest({ entryPoints: { [POWER]: { ipmitool: './power.ts:rackPower' } } }),
    sentence: /ipmitool in ironic\.hardware\.interfaces\.power is already provided by .*plugins\/ipmi/,
    otherwise: 'aside',
  },
  {
    what: 'the name of another hardware type',
    files: manifest({ hardwareTypes: { ipmi: { supported: {} } } }),
    sentence: /the driver ipmi is already provided by .*plugins\/ipmi/,
    otherwise: 'aside',
  },
  {
    what: 'an option that the daemon declares',
    files: manifest({
      configuration: { api: { type: 'object', properties: { port: { type: 'integer', default: 1 } } } },
    }),
    sentence: /the option \[api\] port is already provided by the daemon/,
    otherwise: 'aside',
  },
  {
    what: 'a folder that every user may change',
    prepare: (path) => chmodSync(join(path, 'rackpower'), 0o777),
    sentence: /rackpower is writable by every user of this host; run: chmod o-w/,
    otherwise: 'aside',
  },
  {
    what: 'code that every user may change',
    prepare: (path) => chmodSync(join(path, 'rackpower/controller.ts'), 0o666),
    sentence: /rackpower\/controller\.ts is writable by every user of this host; run: chmod o-w/,
    otherwise: 'aside',
  },
  {
    what: 'a link to code that every user may change',
    prepare(path) {
      const code = join(path, 'elsewhere.ts');
      writeFileSync(code, '');
      chmodSync(code, 0o666);
      symlinkSync(code, join(path, 'rackpower/more.ts'));
    },
    sentence: /elsewhere\.ts is writable by every user of this host; run: chmod o-w/,
    checked: /more\.ts is a link that leads out of the plugin's folder/,
    otherwise: 'aside',
  },
  {
    what: 'a search path to which every user may add plugins',
    prepare: (path) => chmodSync(path, 0o777),
    sentence: /\[plugins\] path: .* is writable by every user of this host; run: chmod o-w/,
    checked: undefined,
    otherwise: 'aside',
  },
  {
    what: 'a search path that every user may replace',
    prepare(path) {
      renameSync(join(path, 'rackpower'), join(path, 'hidden'));
      mkdirSync(join(path, 'open/plugins'), { recursive: true });
      renameSync(join(path, 'hidden'), join(path, 'open/plugins/rackpower'));
      chmodSync(join(path, 'open'), 0o777);
      symlinkSync(join(path, 'open/plugins/rackpower'), join(path, 'rackpower'));
    },
    sentence: /\/open, which contains .*, is writable by every user of this host; run: chmod o-w/,
    checked: undefined,
    otherwise: 'aside',
  },
  {
    what: 'an option whose default is not allowed',
    files: manifest({
      configuration: {
        rackpower: {
          type: 'object',
          properties: {
            row: { type: 'string', default: 'A' },
            patience: { type: 'integer', minimum: 9, default: 5 },
          },
        },
      },
    }),
    sentence: /default of plugin rackpower: \[rackpower\] patience = "5": expected an integer/,
    otherwise: 'aside',
  },
  {
    what: 'a manifest that is a pipe',
    prepare(path) {
      rmSync(join(path, 'rackpower/plugin.json'));
      execFileSync('mkfifo', [join(path, 'rackpower/plugin.json')]);
    },
    sentence: /plugin\.json cannot be read: it is not a regular file/,
    otherwise: 'aside',
  },
  {
    what: 'a search path one level too low',
    prepare(path) {
      for (const file of readdirSync(join(path, 'rackpower')))
        renameSync(join(path, 'rackpower', file), join(path, file));
    },
    sentence: /is a plugin itself; name the directory that holds it, /,
    checked: undefined,
    otherwise: 'aside',
  },
  {
    what: 'a search path one level too high',
    prepare(path) {
      mkdirSync(join(path, 'plugins'));
      renameSync(join(path, 'rackpower'), join(path, 'plugins/rackpower'));
    },
    sentence: /holds no folder with a plugin\.json, but .*\/plugins does; name that/,
    checked: undefined,
    otherwise: 'aside',
  },
  {
    what: 'a search path that does not exist',
    prepare: (path) => rmSync(path, { recursive: true }),
    sentence: /the directory .* does not exist/,
    checked: undefined,
    otherwise: 'aside',
  },
];
