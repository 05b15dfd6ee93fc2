// The network functions of the ramdisk's init, on real network cards of a namespace.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { canonicalIp } from '../../../../daemon/lib/network/ip.ts';
import { mac } from '../../../fakes/boot/dhcp-site.ts';
import { space } from '../../../fakes/boot/dhcp-network.ts';
import { linkLocalOf, settle } from '../../../fakes/dhcp6/dhcp6-network.ts';
import { skipWithout } from '../../../setup/packages.ts';

const INIT = join(import.meta.dirname, '../../../../daemon/cli/agent-image/build/init');

test(
  'between two networks, a card loses its addresses but the link-local one, which DHCPv6 needs',
  { skip: skipWithout('iproute2') },
  async (t) => {
    const run = mkdtempSync(join(tmpdir(), 'ramdisk-run-'));
    t.after(() => rmSync(run, { recursive: true }));
    const lab = await space(t);
    const card = lab.interfaceOf(mac(1));
    settle(lab, card);
    for (const address of ['fd77::5/128', '10.77.0.5/24'])
      lab.run('ip', 'address', 'add', address, 'dev', card);
    const [stopNetwork] = /^stop_network\(\) \{\n[^]*?^\}\n/m.exec(readFileSync(INIT, 'utf8')) ?? [];
    assert.ok(stopNetwork);
    const script = `cards() { echo ${card}; }\n${stopNetwork.replaceAll('/run/', `${run}/`)}stop_network\n`;
    lab.run('sh', '-ec', script);
    const left = lab.run('ip', '-o', 'address', 'show', 'dev', card);
    assert.deepEqual(
      [...left.matchAll(/inet6? (\S+)/g)].map(([, address]) => address),
      [`${canonicalIp(linkLocalOf(mac(1)))}/64`],
    );
  },
);
