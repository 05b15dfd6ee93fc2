import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { freeTcpPort } from '../../../../daemon/simulator/free-port.ts';
import { newHost } from '../planted-host.ts';

/** A packet with the first block of a file. */
const block = (text: string) => Buffer.concat([Buffer.of(0, 3, 0, 1), Buffer.from(text)]);

test('the doctor survives whatever answers its TFTP request, and says that the loader does not arrive', async (t) => {
  const host = newHost(t);
  const loader = join(host.directory, 'loader.efi');
  writeFileSync(loader, 'x'.repeat(600));
  const api = await freeTcpPort();
  const daemon = await startListening(t, { environment: { IRONIC_API__PORT: String(api) } });
  const answers: readonly (readonly [Buffer, RegExp])[] = [
    [Buffer.of(), /: /],
    [Buffer.of(0), /: /],
    [Buffer.of(0, 6), /: /],
    [Buffer.from('\0\x06blksize\x009999\0'), /: /],
    [Buffer.of(0, 3, 0), /: /],
    [Buffer.of(0, 4, 0, 1), /: /],
    [Buffer.of(0, 5, 0, 1, 0x6e, 0x6f, 0), /: .*no/],
    [block('short'), /5 bytes arrive, but the file has 600$/],
  ];
  for (const [answer, problem] of answers) {
    const server = createSocket('udp4').bind(0, '127.0.0.1');
    await once(server, 'listening');
    server.on('message', (_, { port, address }) => server.send(answer, port, address));
    const tftp = `enabled = true\naddresses = 127.0.0.1\nport = ${server.address().port}`;
    host.configure(
      `[api]\nport = ${api}\n[pxe]\nloader_file_paths = snponly.efi:${loader}\n[tftp_server]\n${tftp}\n`,
    );
    const [found, ...more] = await host.examine('tftp');
    assert.match(found?.saw ?? '', problem, answer.toString('hex'));
    assert.match(found?.saw ?? '', /^TFTP at 127\.0\.0\.1 port \d+ does not send snponly\.efi: /);
    assert.deepEqual(more, []);
    server.close();
  }
  await daemon.stop();
});
