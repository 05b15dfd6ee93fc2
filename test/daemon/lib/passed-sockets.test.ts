import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passedSockets } from '../../../daemon/lib/passed-sockets.ts';

const environment = {
  LISTEN_PID: String(process.pid),
  LISTEN_FDS: '3',
  LISTEN_FDNAMES: 'tftp:dhcp-eth1:tftp',
};

test('passed sockets are found by name, as descriptors from 3 on', () => {
  assert.deepEqual(passedSockets('tftp', environment), [3, 5]);
  assert.deepEqual(passedSockets('dhcp-eth1', environment), [4]);
  assert.deepEqual(passedSockets('http', environment), []);
});

test('no socket is returned when LISTEN_PID names another process or is missing', () => {
  assert.deepEqual(passedSockets('tftp', { ...environment, LISTEN_PID: '1' }), []);
  assert.deepEqual(passedSockets('tftp', {}), []);
});
