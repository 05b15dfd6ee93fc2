import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hop, MachineEvent } from '../../../../daemon/model/records/machine-event.ts';
import { missingHop } from '../../../../daemon/ui/read/missing-hop.ts';

const seen = (hop: Hop, second: number, text = ''): MachineEvent => ({
  id: second,
  at: new Date(second * 1000).toISOString(),
  hop,
  node_uuid: null,
  mac: null,
  address: null,
  text,
  failed: false,
});

const POWER = seen('power', 0, 'power changed: power on');
const USUAL = new Map<Hop, number>([
  ['dhcp', 70],
  ['tftp', 72],
  ['http', 75],
  ['lookup', 110],
]);

describe('the next hop of a boot', () => {
  it('is the one that usually follows those that were seen', () => {
    assert.deepEqual(missingHop([POWER], USUAL, 50), { hop: 'dhcp', usual: 70, age: 50, late: false });
    assert.equal(missingHop([POWER, seen('dhcp', 65)], USUAL, 66)?.hop, 'tftp');
  });

  it('is late long after its usual time', () => {
    assert.equal(missingHop([POWER], USUAL, 600)?.late, true);
  });

  it('is never a hop that usually comes before one that was seen: a machine may boot in another way', () => {
    assert.equal(missingHop([POWER, seen('http', 60)], USUAL, 61)?.hop, 'lookup');
  });

  it('is none when the last hop was seen, and when nothing is known of earlier boots', () => {
    assert.equal(missingHop([POWER, seen('lookup', 100)], USUAL, 101), undefined);
    assert.equal(missingHop([POWER], new Map(), 600), undefined);
  });
});
