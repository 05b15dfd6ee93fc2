import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passedSocket } from '../../../daemon/boot/passed-sockets.ts';

const environment = { LISTEN_PID: '42', LISTEN_FDS: '3', LISTEN_FDNAMES: 'dhcp-eth0:tftp:boot-http' };

test('a passed socket is found by its name, from descriptor 3 on', () => {
  assert.equal(passedSocket('dhcp-eth0', environment, 42), 3);
  assert.equal(passedSocket('boot-http', environment, 42), 5);
  assert.equal(passedSocket('api', environment, 42), undefined);
});

test('sockets passed to another process, or beyond the count, are not used', () => {
  assert.equal(passedSocket('tftp', environment, 43), undefined);
  assert.equal(passedSocket('boot-http', { ...environment, LISTEN_FDS: '2' }, 42), undefined);
  assert.equal(passedSocket('tftp', {}, 42), undefined);
});
