// The daemon hears nothing more of a ramdisk.
import { describe, it } from 'node:test';
import { skip } from '../site.ts';
import { type Failure, fails, siteOf, stalled, writing } from './failing.ts';

const failures: readonly Failure[] = [
  {
    title: 'a machine that is switched off while its disk is written',
    respond: stalled,
    meanwhile: async (node) => {
      await writing(node);
      await node.machine.endAgent();
    },
    error:
      /cannot be reached at https:\S+ connect ECONNREFUSED .*Check the console of the machine for messages from its ramdisk\.$/,
  },
];

describe('a deployment with the real agent', { skip }, () => {
  const site = siteOf({ IRONIC_CONDUCTOR__DEPLOY_CALLBACK_TIMEOUT: '30' });
  for (const failure of failures)
    it(`fails with ${failure.title}`, async (t) => void (await fails(t, site(), failure)));
});
