// Deployments that fail because the daemon hears nothing more from the ramdisk, or not what the daemon expects.
import { describe, it, type TestContext } from 'node:test';
import { httpServer } from '../../fakes/services/http-server.ts';
import { type EnrolOptions, type Site, skip } from '../site.ts';
import { type Failure, fails, siteOf, stalled } from './failing.ts';

const LAST_HEARTBEAT =
  /Last seen: at step deploy\.write_image, its agent at https:\S+ sent its last heartbeat at \S+: look at the machine's console and at the agent's log\.$/;

const failures: readonly Failure[] = [
  {
    title: 'a machine that is switched off while its disk is written',
    respond: stalled,
    meanwhile: (node) => node.machine.endAgent(),
    error: LAST_HEARTBEAT,
  },
  {
    title: 'a machine that boots again while its disk is written',
    respond: stalled,
    meanwhile: (node) => node.machine.reset(),
    error: LAST_HEARTBEAT,
  },
  {
    title: 'a ramdisk that reports the MAC address of another machine',
    options: { machine: { parameters: 'BOOTIF=01-52-54-00-99-ff-01' } },
    error:
      /^Deployment failed: Nothing was heard for 45 s .* 52:54:00:99:ff:01 \(its ramdisk asked for its node; no node expects this ramdisk\)/,
  },
  {
    title: 'a ramdisk that cannot reach the API',
    options: { machine: { parameters: 'ipa-api-url=http://127.0.0.1:9' } },
    error: /^Deployment failed: Nothing was heard for 45 s .* Last seen: /,
  },
  {
    title: 'a ramdisk whose heartbeats are lost',
    options: withoutHeartbeats,
    error:
      /Last seen: at step deploy\.deploy, its ramdisk looked the node up at \S+ and sent no heartbeat: look at the ramdisk's journal, and whether it reaches this service\.$/,
  },
];

/** Returns options with which the ramdisk reaches the API through a proxy that drops heartbeats. */
async function withoutHeartbeats(t: TestContext, { daemon }: Site): Promise<EnrolOptions> {
  const way = await httpServer(t, async ({ url = '', headers }, response) => {
    if (url.startsWith('/v1/heartbeat')) {
      response.destroy();
      return;
    }
    const { 'x-openstack-ironic-api-version': version = 'latest' } = headers;
    const reply = await fetch(`${daemon.url}${url}`, {
      headers: { 'x-openstack-ironic-api-version': String(version) },
    });
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
  });
  return { machine: { parameters: `ipa-api-url=http://127.0.0.1:${way.port}` } };
}

describe('a deployment with the real agent', { skip, concurrency: 4 }, () => {
  const site = siteOf({ IRONIC_CONDUCTOR__DEPLOY_CALLBACK_TIMEOUT: '45' });
  for (const failure of failures)
    it(`fails with ${failure.title}`, async (t) => void (await fails(t, site(), failure)));
});
