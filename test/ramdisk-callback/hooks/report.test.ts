import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { addressesOf, readReport } from '../../../ramdisk-callback/hooks/report.ts';

const read = (body: unknown) =>
  readReport(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), 25);

test('addresses are valid, normalized and unique', () => {
  const interfaces = ['52:54:00:AA:BB:CC', '52:54:00:aa:bb:cc', 'x', '52-54-00-aa-bb-cc', ''];
  const inventory = {
    interfaces: interfaces.map((mac_address) => ({ mac_address })),
    bmc_address: '192.0.2.1',
    bmc_v6address: '2001:DB8::0:1',
  };
  const reading = read({ inventory, extra: [1] });
  assert.ok(reading.kind === 'read');
  assert.deepEqual(reading.report.pluginData, { extra: [1] });
  assert.deepEqual(addressesOf(reading.report), {
    macs: ['52:54:00:aa:bb:cc'],
    bmcAddresses: ['192.0.2.1', '2001:db8::1'],
  });
});

test('__proto__ and constructor are ordinary plugin data', () => {
  const text = '{"inventory":{"interfaces":[{"mac_address":""}]},"__proto__":{"a":1},"constructor":2}';
  const reading = read(text);
  assert.ok(reading.kind === 'read');
  assert.deepEqual(Object.keys(reading.report.pluginData), ['__proto__', 'constructor']);
  assert.equal(Object.hasOwn(Object.prototype, 'a'), false);
});

test('reading a report never throws', () => {
  const json = fc.jsonValue();
  const nearly = fc.record({
    inventory: fc.record({ interfaces: fc.array(fc.record({ mac_address: json })), bmc_address: json }),
  });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        json.map((value) => Buffer.from(JSON.stringify(value))),
        nearly.map((value) => Buffer.from(JSON.stringify(value))),
      ),
      (bytes) => {
        const reading = readReport(bytes, 25);
        if (reading.kind === 'read') addressesOf(reading.report);
        else assert.ok(reading.code === 'BodyTooDeep' || reading.reason.length > 0);
      },
    ),
    { numRuns: 300, seed: 11 },
  );
});

test('an inventory of more than 4,194,304 characters is refused, and large plugin data are accepted', () => {
  const long = 'x'.repeat(4_194_304);
  const interfaces = [{ mac_address: '52:54:00:aa:bb:cc' }];
  assert.equal(read({ inventory: { interfaces }, collected: long }).kind, 'read');
  for (const inventory of [
    { interfaces, long },
    { interfaces, [long]: 1 },
    { interfaces, a: [[long]] },
  ]) {
    const reading = read({ inventory });
    assert.ok(reading.kind === 'refused');
    assert.equal(reading.reason, "'inventory' has more than 4194304 characters");
  }
});
