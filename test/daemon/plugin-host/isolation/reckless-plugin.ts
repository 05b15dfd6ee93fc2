// Plugins that can do harm on request, each with a hardware type of its own: `reckless-0`, `reckless-1` and so on.
import { type PluginFiles, pluginFolder, pluginManifest } from '../../../fakes/plugin-folder.ts';

const code = `import { spawn } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { defineVendor, definePower } from '#plugin-api';

const kept = [];
const ways = {
  nothing: () => 'nothing',
  environment: () => Object.keys(process.env).join(),
  loop() { for (;;); },
  exit() { process.exit(0); },
  abort() { process.abort(); },
  crash() { process.kill(process.pid, 'SIGSEGV'); },
  killGroup() { process.kill(0, 'SIGKILL'); },
  closeDescriptors() { for (let file = 3; file < 64; file += 1) try { closeSync(file); } catch {} },
  async pollute() {
    Object.prototype.polluted = 'yes';
    Object.defineProperty(Object.prototype, 'status', { value: 777, writable: true, configurable: true });
    Array.prototype.map = () => { throw new Error('polluted'); };
    return 'polluted';
  },
  prototypes: () => ({ polluted: {}.polluted ?? 'no', maps: [1].map((one) => one).length === 1 }),
  print() { process.stdout.write('{"msg":"ready"}\\n'); return 'printed'; },
  heap() { for (;;) kept.push(Array.from({ length: 100_000 }, String)); },
  buffers() { for (;;) kept.push(Buffer.alloc(50_000_000, 1)); },
  timer() { setInterval(() => {}, 1); return 'ticking'; },
  rejection() { Promise.reject(new Error('a wild rejection')); return 'rejected'; },
  exception() { setImmediate(() => { throw new Error('a wild exception'); }); return 'thrown'; },
  logs(task) { for (let line = 0; line < 50_000; line += 1) task.log.info({ line, text: 'x'.repeat(1000) }, 'flood'); return 'logged'; },
  output() { const text = 'y'.repeat(65_000) + '\\n'; for (;;) writeSync(1, text); },
  huge: () => 'z'.repeat(80_000_000),
  circular() { const circle = {}; circle.circle = circle; return circle; },
  function: () => () => 1,
  getter: () => ({ get value() { throw new Error('a getter that throws'); } }),
  holdBmc: (task) => task.bmc('192.0.2.7', { deadline: 600_000 }, async () => { process.exit(3); }),
  stubborn: (task) => task.bmc('192.0.2.8', { deadline: 1 }, () => new Promise(() => {})),
  talk: (task, { address }) => task.bmc(address, { deadline: 600_000 }, async () => 'talked'),
  async descendant() { const { pid } = spawn('sleep', ['600'], { stdio: 'ignore' }); return pid; },
  wrongUpdate: (task) => task.update({ properties: 5 }),
  bomb: async (task) => { await Promise.all(Array.from({ length: 5000 }, () => task.addNote('a note'))); return 'noted'; },
  unhandle() { process.removeAllListeners(); Promise.reject(new Error('nobody listens')); return setTimeout(1000, 'survived'); },
  wait: (task) => task.clock.sleep(600_000),
  async rejections() { for (let each = 0; each < 100_000; each += 1) Promise.reject(new Error('wild ' + each)); return 'rejected'; },
  async notes(task) { for (let each = 0; each < 20_000; each += 1) await task.addNote('a note'); return 'noted'; },
  flood: async (task) => { for (let each = 0; each < 100; each += 1) await Promise.allSettled(Array.from({ length: 20 }, () => task.addNote('n'.repeat(900_000)))); return 'flooded'; },
  garbage() { writeSync(3, Buffer.alloc(1_000_000, 255)); },
  deep: () => JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)),
  deepLog(task) { let fields = {}; for (let depth = 0; depth < 3000; depth += 1) fields = { fields }; for (let line = 0; line < 1000; line += 1) task.log.info(fields, 'deep'); return 'logged'; },
  wide: () => Array.from({ length: 900_000 }, () => 0),
  forks() { for (let each = 0; each < 4; each += 1) spawn(process.execPath, ['-e', 'const end = Date.now() + 60_000; while (Date.now() < end);'], { stdio: 'ignore' }); return 'forked'; },
  timers() { for (let each = 0; each < 1000; each += 1) setInterval(() => process.stdout.write('tick\\n'), 1); return 'ticking'; },
  nested: async (task) => { const talk = (depth) => task.bmc('192.0.2.' + (100 + depth), { deadline: 2000 }, () => talk(depth + 1)); return talk(0); },
  errors: (task) => Promise.all(Array.from({ length: 5000 }, () => task.update({ properties: 5 }).catch(() => {}))).then(() => 'erred'),
  longError() { throw new Error('e'.repeat(10_000_000)); },
  block() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); },
  async detached() { const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true }); child.unref(); return child.pid; },
  stop() { process.kill(process.pid, 'SIGSTOP'); },
  slow() { const until = Date.now() + 4000; while (Date.now() < until); return 'slow'; },
  // this loop runs outside any call
  later() { globalThis.setTimeout(() => { for (;;); }, 10); return 'soon'; },
};

export const vendor = defineVendor({
  properties: {}, validate() {},
  nodeMethods: {
    hurt: {
      httpMethods: ['POST'], description: 'Does harm.', runs: 'wait', sharesNode: true,
      call: async (task, given) => (await ways[given.way](task, given)) ?? null,
    },
    locked: {
      httpMethods: ['POST'], description: 'Does harm while the node is locked.', runs: 'wait',
      call: async (task, given) => (await ways[given.way](task, given)) ?? null,
    },
  },
});
`;

const manifestOf = (name: string) =>
  pluginManifest(name, {
    entryPoints: { 'ironic.hardware.interfaces.vendor': { [name]: './reckless.js:vendor' } },
    hardwareTypes: { [name]: { extends: 'fake-hardware', supported: { vendor: [name] } } },
  });

export const recklessNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `reckless-${index}`);

/** The 40 ways to do harm. `nothing`, `talk`, `prototypes` and `print` do no harm and are not counted. */
export const waysToHurt: readonly string[] = (
  'loop exit abort crash killGroup closeDescriptors pollute heap buffers timer rejection exception logs output huge ' +
  'circular function getter holdBmc stubborn descendant wrongUpdate bomb unhandle wait later rejections notes flood ' +
  'garbage deep deepLog wide forks timers nested errors longError stop slow'
).split(' ');

/** Writes `count` reckless plugins to a folder; returns that folder, the plugin search path. */
export const recklessPlugins = (test: Parameters<typeof pluginFolder>[0], count: number): string =>
  pluginFolder(
    test,
    Object.assign(
      {},
      ...recklessNames(count).map((name): PluginFiles => ({
        [`${name}/plugin.json`]: manifestOf(name),
        [`${name}/reckless.js`]: code,
      })),
    ) as PluginFiles,
  );
