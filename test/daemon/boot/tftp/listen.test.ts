import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { openListeners } from '../../../../daemon/boot/tftp/listen.ts';
import { steadyLinks } from '../../../fakes/daemon/steady-links.ts';

async function listenAt(addresses: readonly string[], port: number, links = steadyLinks) {
  const sockets: Socket[] = [];
  try {
    await openListeners({ passed: [], addresses, port }, links, (socket) => void sockets.push(socket));
    return sockets;
  } catch (error) {
    for (const socket of sockets) socket.close();
    throw error;
  }
}

test('each address gets its own socket', async () => {
  const sockets = await listenAt(['127.0.0.1', '127.0.0.2', '::1'], 0);
  assert.deepEqual(
    sockets.map((socket) => socket.address().address),
    ['127.0.0.1', '127.0.0.2', '::1'],
  );
  for (const socket of sockets) socket.close();
});

test('a port that is taken and a wildcard are refused with advice, and nothing stays open', async () => {
  const other = createSocket('udp4').bind(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address();
  await assert.rejects(
    listenAt(['127.0.0.2', '127.0.0.1'], port),
    new RegExp(`^Error: Cannot serve TFTP on 127\\.0\\.0\\.1 port ${port}: another program serves there`),
  );
  await assert.rejects(listenAt(['0.0.0.0'], 0), /list the addresses of this host instead of 0\.0\.0\.0\.$/);
  await assert.rejects(listenAt(['::'], 0), /list the addresses of this host instead of ::\.$/);
  other.close();
  for (const socket of await listenAt(['127.0.0.1', '127.0.0.2'], port)) socket.close();
});
