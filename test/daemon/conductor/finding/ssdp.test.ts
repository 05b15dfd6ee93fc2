import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isServiceAt } from '../../../../daemon/conductor/finding/ssdp.ts';

const NETWORKS = ['10.0.9.0/24'];
const answer = (
  al: string,
  { status = 'HTTP/1.1 200 OK', st = 'urn:dmtf-org:service:redfish-rest:1:6' } = {},
) =>
  Buffer.from(
    `${status}\r\nCACHE-CONTROL: max-age=1800\r\nST: ${st}\r\nUSN: uuid:x::${st}\r\nAL:${al}\r\n\r\n`,
  );

test('an answer to a search counts if it names a Redfish service at its sender, in a network of BMCs', () => {
  const isBelieved = (...given: Parameters<typeof answer>) =>
    isServiceAt('10.0.9.12', answer(...given), NETWORKS);
  assert.ok(isBelieved('https://10.0.9.12/redfish/v1/'));
  assert.ok(isBelieved(' http://10.0.9.12:8000/redfish/v1'));
  for (const url of [
    'https://10.0.9.13/redfish/v1/',
    'https://10.0.8.1/redfish/v1/',
    'https://bmc.example/redfish/v1/',
    'file://10.0.9.12/etc/passwd',
    'https://10.0.9.12@10.0.8.1/',
    '/redfish/v1/',
    '',
  ])
    assert.equal(isBelieved(url), false, url);
  const own = 'https://10.0.9.12/redfish/v1/';
  assert.equal(isBelieved(own, { status: 'NOTIFY * HTTP/1.1' }), false);
  assert.equal(isBelieved(own, { st: 'upnp:rootdevice' }), false);
  const elsewhere = answer('https://10.0.8.12/redfish/v1/');
  assert.equal(isServiceAt('10.0.8.12', elsewhere, NETWORKS), false, 'its sender is in no network of BMCs');
  assert.equal(isServiceAt('10.0.9.12', Buffer.alloc(65_000, ':\r\n'), NETWORKS), false);
});
