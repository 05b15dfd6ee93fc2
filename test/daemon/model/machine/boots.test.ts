import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hopDelays, lastBoot } from '../../../../daemon/model/machine/boots.ts';
import type { Hop, MachineEvent } from '../../../../daemon/model/records/machine-event.ts';

const START = Date.parse('2026-11-22T10:00:00Z');

const event = (seconds: number, hop: Hop, text = '', failed = false): MachineEvent => ({
  id: seconds,
  at: new Date(START + seconds * 1000).toISOString(),
  hop,
  node_uuid: null,
  mac: null,
  address: null,
  text,
  failed,
});

describe('a boot in a timeline', () => {
  it('begins with the last power-on that succeeded', () => {
    const events = [
      event(0, 'power', 'power changed: power on'),
      event(9, 'dhcp'),
      event(20, 'power', 'power changed: power off'),
      event(21, 'power', 'power changed: power on'),
      event(22, 'power', 'power on failed', true),
      event(30, 'dhcp'),
    ];
    assert.deepEqual(
      lastBoot(events).map(({ id }) => id),
      [21, 22, 30],
    );
    assert.equal(lastBoot(events.slice(4)).length, 2, 'all events if no power-on succeeded');
  });

  it('begins with the request when the machine boots before its BMC confirms the power-on', () => {
    const events = [
      event(0, 'power', 'power requested: rebooting'),
      event(1, 'power', 'power changed: rebooting'),
      event(20, 'power', 'power requested: power on'),
      event(22, 'dhcp'),
      event(30, 'power', 'power changed: power on'),
      event(31, 'http'),
    ];
    const boot = lastBoot(events);
    assert.deepEqual(
      boot.map(({ id }) => id),
      [20, 22, 30, 31],
    );
    assert.deepEqual(
      [...hopDelays(boot)],
      [
        ['dhcp', 2],
        ['http', 11],
      ],
    );
  });

  it('has the seconds from power-on to the first success of each hop, such as dhcp or lookup, but not of power and bmc', () => {
    const boot = [
      event(0, 'power', 'power changed: power on'),
      event(3, 'bmc'),
      event(60, 'dhcp', '', true),
      event(70, 'dhcp'),
      event(75, 'dhcp'),
      event(90, 'lookup'),
    ];
    assert.deepEqual(
      [...hopDelays(boot)],
      [
        ['dhcp', 70],
        ['lookup', 90],
      ],
    );
    assert.equal(hopDelays(boot.slice(1)).size, 0, 'none without a power-on');
  });
});
