// Preloaded into a daemon with `NODE_OPTIONS=--import=...`: its fake power interface blocks the event loop, as a faulty
// in-tree plugin would.
import { registerHooks } from 'node:module';

// the code acts after an await, when no frame of the daemon is on the stack
const source = `
import { execFileSync } from 'node:child_process';
import { definePower } from '#plugin-api';
const spin = (until) => { while (Date.now() < until); };
export const fakePower = definePower({
  properties: {},
  supportedTargets: ['power on', 'power off', 'rebooting'],
  supportsPowerSync: false,
  validate() {},
  async getPowerState() { return null; },
  async setPowerState(task, target) {
    await new Promise((resolve) => setImmediate(resolve));
    if (target === 'power on') spin(Date.now() + 4000);
    else if (target === 'power off') execFileSync('sleep', ['4']);
    else spin(Infinity);
  },
});`;

registerHooks({
  load: (url, context, nextLoad) =>
    url.endsWith('/plugins/fake/power.ts')
      ? { format: 'module', source, shortCircuit: true }
      : nextLoad(url, context),
});
