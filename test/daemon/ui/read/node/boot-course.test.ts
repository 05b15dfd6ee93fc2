import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bootCourse } from '../../../../../daemon/ui/read/node/boot-course.ts';
import type { Hop, MachineEvent } from '../../../../../daemon/model/records/machine-event.ts';
import { bootBar, bootLead, clockText } from '../../../../../daemon/ui/views/node/boot-bar.ts';

const START = Date.parse('2026-11-22T08:31:02.000Z');

const event = (seconds: number, hop: Hop, text: string, failed = false): MachineEvent => ({
  id: seconds,
  at: new Date(START + seconds * 1000).toISOString(),
  hop,
  node_uuid: null,
  mac: null,
  address: null,
  text,
  failed,
});

const POWER = [event(0, 'power', 'power requested: power on'), event(4, 'power', 'power changed: power on')];
const NETWORK = [
  event(160, 'dhcp', 'gets 10.0.0.61 and snponly.efi'),
  event(162, 'tftp', 'received snponly.efi'),
  event(163, 'dhcp', 'gets 10.0.0.61 and boot.ipxe'),
  event(164, 'http', 'was sent boot.ipxe'),
  event(170, 'http', 'was sent the kernel'),
];
const AGENT = [
  event(178, 'dhcp', 'gets 10.0.0.61'),
  event(186, 'lookup', 'its ramdisk looked up its node'),
  event(187, 'heartbeat', 'the agent sent a heartbeat'),
  event(190, 'agent', 'its agent began clean step deploy.erase_devices'),
  event(220, 'heartbeat', 'the agent sent a heartbeat'),
  event(240, 'agent', 'its agent ended clean step deploy.erase_devices'),
];
const USUAL = new Map<Hop, number>([
  ['dhcp', 150],
  ['tftp', 152],
  ['http', 155],
  ['lookup', 180],
  ['heartbeat', 181],
  ['inspection', 200],
]);
const nothing = { usual: new Map<Hop, number>(), missing: undefined, until: undefined };

const running = (seconds: number) => ({ seconds, state: 'running' }) as const;

const named = (course: ReturnType<typeof bootCourse>) =>
  course?.stages.map(({ name, from, to, state }) => `${name} ${from}-${to} ${state}`);

describe('the course of a boot', () => {
  it('has a stage for each hop, in the order in which a boot passes them, and the steps of the agent', () => {
    const course = bootCourse({ ...nothing, boot: [...POWER, ...NETWORK, ...AGENT], until: running(250) });
    assert.deepEqual(named(course), [
      'power 0-4 ended',
      'firmware 4-160 ended',
      'DHCP 160-162 ended',
      'loader 162-164 ended',
      'kernel 164-186 ended',
      'agent starts 186-187 ended',
      'agent 187-190 ended',
      'deploy.erase_devices 190-240 ended',
      'agent 240-250 running',
    ]);
    assert.equal(course?.isFromDisk, false);
  });

  it('is compared with the usual one at the last hop whose usual time is known', async () => {
    const course = bootCourse({
      ...nothing,
      boot: [...POWER, ...NETWORK],
      usual: USUAL,
      until: running(171),
    });
    assert.ok(course);
    assert.deepEqual(course.reached, { now: 164, usual: 155 });
    assert.deepEqual(
      course.usual.map(({ name, from }) => `${name} ${from}`),
      ['firmware 0', 'DHCP 150', 'loader 152', 'kernel 155', 'agent starts 180', 'agent 181'],
    );
    const lead = String(await bootLead(course)).replaceAll(/\s+/g, ' ');
    assert.match(lead, /08:31:02<\/time> · usually 2:35 to here, now 2:44/);
    const bar = String(await bootBar(course));
    assert.match(bar, /class="running"[^>]*>\s*<title>kernel: 0:07<\/title>/);
    assert.match(bar, /<th scope="row">DHCP<\/th>\s*<td>2:40<\/td>\s*<td>2:30<\/td>\s*<td>0:02<\/td>/);
  });

  it('marks the hop that is late where it usually is', async () => {
    const missing = { hop: 'dhcp', usual: 150, age: 600, late: true } as const;
    const course = bootCourse({
      boot: POWER,
      usual: USUAL,
      missing,
      until: { seconds: 600, state: 'failed' },
    });
    assert.ok(course);
    assert.deepEqual(named(course), ['power 0-4 ended', 'firmware 4-600 failed']);
    const bar = String(await bootBar(course));
    assert.match(bar, /class="missing" x="25\.00%" width="75%"/);
    assert.match(bar, />no dhcp<\/text>/);
    assert.match(bar, /aria-label="power 0:04, firmware 9:56; dhcp is missing"/);
    assert.match(String(await bootLead(course)), /dhcp is late/);
  });

  it('marks a stage that ended in a failure', () => {
    const failure = event(200, 'agent', 'its agent did not end deploy.write_image: no space', true);
    const began = event(190, 'agent', 'its agent began deploy step deploy.write_image');
    const course = bootCourse({ ...nothing, boot: [...POWER, began, failure] });
    assert.deepEqual(named(course)?.at(-1), 'deploy.write_image 190-200 failed');
  });

  it('ends where power is taken away, and says when a machine boots from its disk', () => {
    const off = event(260, 'power', 'power requested: power off');
    const course = bootCourse({ ...nothing, boot: [...POWER, ...NETWORK, ...AGENT, off] });
    assert.deepEqual([named(course)?.at(-1), course?.seconds], ['agent 240-260 ended', 260]);
    const fromDisk = bootCourse({ ...nothing, usual: USUAL, boot: POWER });
    assert.deepEqual([fromDisk?.isFromDisk, fromDisk?.usual], [true, []]);
  });

  it('is undefined for events that do not begin with power, and for nothing', () => {
    assert.equal(bootCourse({ ...nothing, boot: NETWORK }), undefined);
    assert.equal(bootCourse({ ...nothing, boot: [] }), undefined);
    assert.equal(bootCourse({ ...nothing, boot: POWER.slice(0, 1) }), undefined);
  });
});

describe('a duration on the line of time', () => {
  it('is in minutes and seconds, and in hours where there are any', () => {
    assert.deepEqual([0, 59.6, 247, 3600, 7325].map(clockText), [
      '0:00',
      '1:00',
      '4:07',
      '1:00:00',
      '2:02:05',
    ]);
  });
});
