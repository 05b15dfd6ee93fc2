// One plugin, broken in many ways, with the sentence that reports each.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PluginFiles } from '../../fakes/plugin-folder.ts';
import { vendorFiles, vendorManifest } from '../../fakes/vendor-plugin.ts';

/** `aside`: the folder is reported and skipped; `unused`: its code is not loaded. */
type WhenNotEnabled = 'aside' | 'unused';

export interface Variant {
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

export const variants: readonly Variant[] = [
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
    what: 'an export that is a function',
    files: power('export const rackPower = () => 1;'),
    sentence: /does not export an object named rackPower/,
    otherwise: 'unused',
  },
  {
    what: 'code that throws at import',
    files: power('throw new Error("bang");'),
    sentence: /entry point rackpower .*cannot be loaded: \/.*power\.ts:1:7: bang/,
    otherwise: 'unused',
  },
  {
    what: 'code that never finishes loading',
    files: power('await new Promise(() => {});'),
    sentence: /cannot be loaded: it has not finished loading after 10 s/,
    otherwise: 'unused',
  },
  {
    what: 'code with a syntax error',
    files: power('// first\nexport const = 5;'),
    sentence: /cannot be loaded: \/.*power\.ts:2:14: Unexpected token/,
    otherwise: 'unused',
  },
  {
    what: 'TypeScript that must be compiled',
    files: power('export enum Power { on }'),
    sentence: /power\.ts:1:8: TypeScript enum is not supported.* write a union of texts/,
    otherwise: 'unused',
  },
  {
    what: 'an import of a missing package',
    files: power('import "no-such-package";'),
    sentence:
      /power\.ts:1:9: Cannot find package 'no-such-package'\. A plugin may import #plugin-api, modules of Node\.js/,
    otherwise: 'unused',
  },
  {
    what: 'a parameter property',
    files: power('class Power { constructor(private readonly on: boolean) {} }'),
    sentence: /power\.ts:1:\d+: .*declare the field in the class, and assign it in the constructor/,
    otherwise: 'unused',
  },
  {
    what: 'a type that is imported as a value',
    files: power("import { definePower,\n  Task } from '#plugin-api';"),
    sentence:
      /power\.ts:2:3: .*does not provide an export named 'Task'\. If Task is a type, write: type Task/,
    otherwise: 'unused',
  },
  {
    what: 'a misspelt function of the API',
    files: power("import { definePowr } from '#plugin-api';"),
    sentence: /power\.ts:1:10: .*Did you mean definePower\?/,
    otherwise: 'unused',
  },
  {
    what: 'an import without the ending of the file',
    files: power("import { request } from './controller';"),
    sentence: /power\.ts:1:26: Cannot find module .*Write the whole name of the file: controller\.ts/,
    otherwise: 'unused',
  },
  {
    what: 'an import of a misspelt file',
    files: power("import { request } from './controler.ts';"),
    sentence: /power\.ts:1:26: Cannot find module .*Did you mean controller\.ts\?/,
    otherwise: 'unused',
  },
  {
    what: 'an import of JSON without its type',
    files: power("import manifest from './plugin.json';"),
    sentence: /power\.ts.*Write: with \{ type: 'json' \} after the import/,
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
    sentence: /rackpower is writable by every user of this machine; run: chmod o-w/,
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
    otherwise: 'aside',
  },
  {
    what: 'a search path one level too high',
    prepare(path) {
      mkdirSync(join(path, 'plugins'));
      renameSync(join(path, 'rackpower'), join(path, 'plugins/rackpower'));
    },
    sentence: /holds no folder with a plugin\.json, but .*\/plugins does; name that/,
    otherwise: 'aside',
  },
  {
    what: 'a search path that does not exist',
    prepare: (path) => rmSync(path, { recursive: true }),
    sentence: /the directory .* does not exist/,
    otherwise: 'aside',
  },
];
