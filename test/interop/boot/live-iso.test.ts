// The iPXE of an emulated machine boots a CD image with the daemon's script and from the daemon's HTTP server.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { namesOf } from '../../../daemon/boot/network-boots.ts';
import { startBootHttpLab } from '../../fakes/boot/boot-http.ts';
import {
  bootSectorThatSays,
  screenOfNetworkBoot,
  withoutQemu,
} from '../../fakes/machines/network-booting-machine.ts';
import { skipWithout } from '../../setup/packages.ts';

const MAC = '52:54:00:12:34:56';
const SAYS = 'LIVE ISO BOOTED';

function liveIso(folder: string): string {
  const files = path.join(folder, 'files');
  mkdirSync(files);
  writeFileSync(path.join(files, 'boot.img'), bootSectorThatSays(SAYS, 2048));
  const file = path.join(folder, 'live.iso');
  const boot = ['-b', 'boot.img', '-no-emul-boot', '-boot-load-size', '4', '-c', 'boot.cat'];
  execFileSync('xorriso', ['-as', 'mkisofs', '-quiet', ...boot, '-o', file, files], { stdio: 'ignore' });
  return file;
}

test(
  'a machine boots a CD image over the network',
  {
    skip: withoutQemu || skipWithout('xorriso'),
  },
  async (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'live-iso-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const lab = await startBootHttpLab(t);
    const iso = liveIso(folder);
    // 10.0.2.2 is this host, as the emulated machine sees it
    const place = { macs: [MAC], httpUrl: `http://10.0.2.2:${lab.port}` };
    const names = namesOf('node-1', { protocol: 'ipxe', title: 'a live system', iso }, place);
    lab.files.publish('node-1', names);
    const script = names[`ipxe/${MAC.replaceAll(':', '-')}`];
    assert.equal(script?.kind, 'bytes');
    writeFileSync(path.join(folder, 'boot.ipxe'), script.bytes);
    const network = `user,model=e1000,mac=${MAC},tftp=${folder},bootfile=boot.ipxe`;
    const screen = await screenOfNetworkBoot(t, network, SAYS);
    assert.match(screen, /ironic-edge: a live system/);
    assert.match(screen, new RegExp(SAYS));
  },
);
