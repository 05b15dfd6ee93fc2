// The variants of a broken plugin whose code cannot be imported, or exports something wrong.
import { vendorFiles } from '../../fakes/vendor-plugin.ts';
import type { Variant } from './variant.ts';

const power = (code: string) => ({ 'rackpower/power.ts': code });
const interfaceOf = (more: string) =>
  power(`import { rackPower as good } from './good.ts';\nexport const rackPower = { ...good, ${more} };`);
const periodic = (interval: string) =>
  `periodic: { look: { description: 'Looks.', interval: ${interval}, run: async () => {} } }`;
const good = { 'rackpower/good.ts': vendorFiles['rackpower/power.ts'] };

export const brokenCode: readonly Variant[] = [
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
    sentence: /cannot be loaded: it has not finished loading.* after 10 s/,
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
    sentence: /power\.ts:1:8: TypeScript enum is not supported.* write a union of string literals/,
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
    what: 'a secret property whose name does not cause its value to be masked',
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
    what: 'a period below zero',
    files: { ...good, ...interfaceOf(periodic('-5')) },
    sentence: /has the periodic work look, which has an interval that is neither 0, nor a number of seconds/,
    otherwise: 'unused',
  },
  {
    what: 'a period that is no number',
    files: { ...good, ...interfaceOf(periodic('NaN')) },
    sentence: /has the periodic work look, which has an interval that is neither 0, nor a number of seconds/,
    otherwise: 'unused',
  },
  {
    what: 'a getter that throws',
    files: { ...good, ...interfaceOf('get periodic() { throw new Error("no period"); }') },
    sentence: /rackPower of .*power\.ts has a member that throws when it is read: no period/,
    otherwise: 'unused',
  },
];
