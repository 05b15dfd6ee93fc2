import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { openListeners } from '../../../../daemon/boot/tftp/listen.ts';

const listenAt = (addresses: readonly string[], port: number) =>
  openListeners({ passed: [], addresses, port });

test('each address gets its own socket', async () => {
  const sockets = await listenAt(['127.0.0.1', '127.0.0.2'], 0);
  assert.deepEqual(
    sockets.map((socket) => socket.address().address),
    ['127.0.0.1', '127.0.0.2'],
  );
  for (const socket of sockets) socket.close();
});

test('a port that is taken, a foreign address and a wildcard are refused with advice, and nothing stays open', async () => {
  const other = createSocket('udp4').bind(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address();
  await assert.rejects(
    listenAt(['127.0.0.2', '127.0.0.1'], port),
    new RegExp(`^Error: Cannot serve TFTP on 127\\.0\\.0\\.1 port ${port}: another program serves there`),
  );
  await assert.rejects(
    listenAt(['192.0.2.77'], 0),
    /this host does not have the address; set \[tftp_server\] addresses\.$/,
  );
  await assert.rejects(listenAt(['0.0.0.0'], 0), /list the addresses of this host instead of 0\.0\.0\.0\.$/);
  other.close();
  for (const socket of await listenAt(['127.0.0.1', '127.0.0.2'], port)) socket.close();
});
