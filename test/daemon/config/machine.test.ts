import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstAddress } from '../../../daemon/config/machine.ts';

const loopback = { address: '127.0.0.1', family: 'IPv4', internal: true } as const;
const linkLocal = { address: 'fe80::1', family: 'IPv6', internal: false } as const;
const six = { address: '2001:db8::1', family: 'IPv6', internal: false } as const;
const four = { address: '192.0.2.7', family: 'IPv4', internal: false } as const;

const ofBmcNetwork = { address: '169.254.1.1', family: 'IPv4', internal: false } as const;

test('firstAddress prefers a routable IPv4 address, then a routable IPv6 address', () => {
  assert.equal(firstAddress([loopback, linkLocal, ofBmcNetwork, six, four]), '192.0.2.7');
  assert.equal(firstAddress([loopback, linkLocal, ofBmcNetwork, six]), '2001:db8::1');
});

test('firstAddress returns 127.0.0.1 if there are only loopback and link-local addresses', () => {
  assert.equal(firstAddress([loopback, linkLocal]), '127.0.0.1');
});
