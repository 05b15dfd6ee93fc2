// Interfaces, links and addresses that come and go: what the daemon serves meanwhile, and when it serves the rest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { server, space, SUBNET, udhcpc } from '../../fakes/boot/dhcp-network.ts';
import type { DhcpServerProcess } from '../../fakes/boot/dhcp-server-process.ts';
import { mac } from '../../fakes/boot/dhcp-site.ts';
import { skipWithout } from '../../setup/packages.ts';

const skip = skipWithout('iproute2') || skipWithout('udhcpc');

/** Resolves when the daemon has logged that DHCP is not served, for a reason that fits; or, without one, that it is again. */
const reported = (daemon: DhcpServerProcess, missing: RegExp | undefined, from: number) =>
  daemon.logged(
    ({ what, missing: reason }) =>
      what === 'DHCP on server' && (missing?.test(String(reason)) ?? reason === undefined),
    from,
  );

test(
  'the daemon starts without a link, and serves DHCP while the interface has a link and an address, whatever device it is',
  { skip },
  async (t) => {
    const lab = await space(t);
    const daemon = server(t, lab, [mac(1)]);
    const lost = async (missing: RegExp, ...command: readonly string[]) => {
      const from = daemon.log.length;
      lab.run('ip', ...command);
      await reported(daemon, missing, from);
      return async (recover: () => void) => {
        const before = daemon.log.length;
        recover();
        await reported(daemon, undefined, before);
        assert.equal((await udhcpc(lab, mac(1)))?.['ip'], '10.99.0.50');
      };
    };
    lab.run('ip', 'link', 'set', 'clients', 'down');
    await daemon.start({ subnet: SUBNET });
    await reported(daemon, /^server has no link/, 0);
    lab.run('ip', 'link', 'set', 'clients', 'up');
    await reported(daemon, undefined, 0);
    assert.equal((await udhcpc(lab, mac(1)))?.['ip'], '10.99.0.50');

    const address = ['address', 'add', '10.99.0.1/24', 'dev', 'server'];
    const found = await lost(
      /^server has no IPv4 address/,
      'address',
      'flush',
      'dev',
      'server',
      'scope',
      'global',
    );
    lab.run('ip', 'address', 'add', '10.50.0.1/24', 'dev', 'server');
    await reported(daemon, /^server has no address in 10\.99\.0\.0\/24 \(it has 10\.50\.0\.1\)/, 0);
    await found(() => lab.run('ip', ...address));

    const back = await lost(/^this host has no interface server/, 'link', 'delete', 'server');
    await back(() => lab.wire());
  },
);

test(
  'the interface need not exist when the daemon starts, and without it all else is served',
  { skip },
  async (t) => {
    const lab = await space(t);
    lab.run('ip', 'link', 'delete', 'server');
    const daemon = server(t, lab, [mac(1)]);
    await daemon.start({ subnet: SUBNET, mode: 'server' });
    await reported(
      daemon,
      /^this host has no interface server; correct the name, or create the interface$/,
      0,
    );
    lab.wire();
    await reported(daemon, undefined, 0);
    assert.equal((await udhcpc(lab, mac(1)))?.['ip'], '10.99.0.50');
  },
);

const section = (name: string, options: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(options).map(([key, value]) => [`IRONIC_${name}__${key}`, value]));

test('each listener waits for its address, and listens as soon as the host has it', { skip }, async (t) => {
  const lab = await space(t);
  const daemon = server(t, lab, [], []);
  const host = { HOST_IP: '10.99.0.9', PORT: '8080' };
  await daemon.start(
    {},
    {
      ...section('API', { ...host, PORT: '6385' }),
      ...section('RAMDISK', { ...host, PORT: '6386' }),
      ...section('BOOT_HTTP', host),
      ...section('TFTP_SERVER', { ENABLED: 'true', ADDRESSES: '10.99.0.9,10.99.0.1' }),
    },
  );
  const listening = () =>
    lab
      .run('ss', '-lntuH')
      .match(/10\.99\.0\.\d:\d+/g)
      ?.toSorted();
  assert.deepEqual(listening(), ['10.99.0.1:69']);
  const names = ['API', 'ramdisk listener', 'boot HTTP', 'TFTP at 10.99.0.9'];
  for (const name of names)
    await daemon.logged(
      ({ what, missing }) => what === name && /does not have 10\.99\.0\.9/.test(String(missing)),
    );
  const from = daemon.log.length;
  lab.run('ip', 'address', 'add', '10.99.0.9/24', 'dev', 'server');
  for (const name of names)
    await daemon.logged(({ what, missing }) => what === name && missing === undefined, from);
  assert.deepEqual(listening(), [
    '10.99.0.1:69',
    ...[6385, 6386, 69, 8080].map((port) => `10.99.0.9:${port}`),
  ]);
});
