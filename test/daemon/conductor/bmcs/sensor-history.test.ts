import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepReadings, sensorHistoryOf } from '../../../../daemon/conductor/bmcs/sensor-history.ts';
import { BUCKETS } from '../../../../daemon/db/tables/sensor-histories.ts';
import type { SensorReading } from '../../../../daemon/model/machine/sensors.ts';
import { ABLE_PLUGINS } from '../../../fakes/daemon/able-session.ts';
import { type Ending, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A time at which a bucket of five minutes begins. */
const START = Date.parse('2026-11-20T12:00:00Z');

const sensor = (id: string, reading: number | null, type = 'Temperature'): SensorReading => ({
  type,
  id,
  reading,
  unit: 'celsius',
  health: 'OK',
  fields: {},
});

async function startHistory(test: Ending) {
  const daemon = await startInProcess(test);
  const { uuid } = await daemon.createNode();
  const { db } = daemon.services;
  const node = daemon.node(uuid);
  const read = (at: number, ...sensors: readonly SensorReading[]) =>
    db.transaction(() => keepReadings(db, { node, at, sensors }));
  const at = (now: number) => sensorHistoryOf(db, uuid, now);
  return { ...daemon, uuid, db, read, at };
}

const lastOf = <T>(list: readonly T[], count: number): readonly T[] => list.slice(-count);

describe('the history of sensors', () => {
  it('has the mean, the least and the greatest reading of each five minutes, and gaps where nothing was read', async (t) => {
    const { read, at } = await startHistory(t);
    read(START, sensor('Inlet', 20.1), sensor('Empty', null));
    read(START + MINUTE, sensor('Inlet', 30.1));
    read(START + 2 * MINUTE, sensor('Inlet', 25.4));
    read(START + 10 * MINUTE, sensor('Inlet', -5));
    const { times, sensors } = at(START + 11 * MINUTE);
    assert.equal(times.length, BUCKETS);
    assert.deepEqual(lastOf(times, 3), [START, START + 5 * MINUTE, START + 10 * MINUTE]);
    const [inlet, ...others] = sensors;
    assert.deepEqual(others, []);
    assert.deepEqual([inlet?.type, inlet?.id, inlet?.unit], ['Temperature', 'Inlet', 'celsius']);
    const ends = [inlet?.mean, inlet?.least, inlet?.greatest].map((list) => lastOf(list ?? [], 4));
    assert.deepEqual(ends, [
      [null, 25.2, null, -5],
      [null, 20.1, null, -5],
      [null, 30.1, null, -5],
    ]);
  });

  it('forgets what is older than 24 hours, also when nothing new was read', async (t) => {
    const { read, at, db, uuid } = await startHistory(t);
    read(START, sensor('Inlet', 20));
    assert.equal(at(START + 24 * HOUR - 1).sensors[0]?.mean[0], 20);
    assert.deepEqual(at(START + 24 * HOUR).sensors, []);
    read(START + 24 * HOUR, sensor('Inlet', 30));
    const means = at(START + 24 * HOUR).sensors[0]?.mean.filter((mean) => mean !== null);
    assert.deepEqual(means, [30]);
    assert.equal(db.sensorHistories.readingsIn(uuid, START / 300_000), undefined);
  });

  it('leaves out readings of times to come when the clock was set back, and goes on', async (t) => {
    const { read, at } = await startHistory(t);
    read(START + 48 * HOUR, sensor('Inlet', 99));
    read(START, sensor('Inlet', 20));
    read(START + 5 * MINUTE, sensor('Inlet', 21));
    const means = at(START + 6 * MINUTE).sensors[0]?.mean;
    assert.deepEqual(lastOf(means ?? [], 2), [20, 21]);
  });

  it('occupies some 200 kB for a machine with a thousand sensors, of which each type has its share', async (t) => {
    const { read, at, db, uuid } = await startHistory(t);
    const many = Array.from({ length: 1000 }, (_, number) => sensor(`DIMM ${number}`, number));
    const all = [...many, sensor('PSU', 200, 'Power'), sensor('Fan 1', 5000, 'Fan')];
    for (let bucket = 0; bucket < BUCKETS + 5; bucket += 1) read(START + bucket * 5 * MINUTE, ...all);
    const now = START + (BUCKETS + 4) * 5 * MINUTE;
    const kept = at(now).sensors.map(({ id }) => id);
    assert.equal(kept.length, 40);
    assert.deepEqual(kept.slice(0, 3), ['DIMM 0', 'PSU', 'Fan 1']);
    const buckets = db.sensorHistories.bucketsUntil(uuid, Math.floor(now / 300_000));
    const bytes = buckets.reduce((sum, { readings }) => sum + readings.length, 0);
    assert.equal(buckets.length, BUCKETS);
    assert.ok(bytes < 200_000, `${bytes} bytes`);
  });

  it('gives the place of a sensor that reports no number any more to another one, without its readings', async (t) => {
    const { read, at } = await startHistory(t);
    const many = Array.from({ length: 40 }, (_, number) => sensor(`DIMM ${number}`, 7));
    read(START, ...many);
    read(START + 5 * MINUTE, ...many.slice(1), sensor('New', 50));
    const fresh = at(START + 5 * MINUTE).sensors.find(({ id }) => id === 'New');
    assert.deepEqual(lastOf(fresh?.mean ?? [], 2), [null, 50]);
  });

  it('leaves out numbers that are none and names that are too long', async (t) => {
    const { read, at } = await startHistory(t);
    const wrong = [Number.NaN, Number.POSITIVE_INFINITY, 1e300].map((value) => sensor(`at ${value}`, value));
    read(START, ...wrong, sensor('x'.repeat(500), 1));
    assert.deepEqual(at(START).sensors, []);
  });

  it('goes with its node', async (t) => {
    const { read, db, uuid } = await startHistory(t);
    read(START, sensor('Inlet', 20));
    db.nodes.remove(uuid);
    assert.deepEqual(
      [db.sensorHistories.sensorsOf(uuid), db.sensorHistories.bucketsUntil(uuid, START / 300_000)],
      [[], []],
    );
    // the node was deleted while its sensors were read
    read(START, sensor('Inlet', 20));
    assert.deepEqual(db.sensorHistories.sensorsOf(uuid), []);
  });

  it('is written by the rounds that read sensors, and the API shows it', async (t) => {
    const daemon = await startInProcess(t, {
      loops: true,
      ini: `enabled_hardware_types = able-hardware
[plugins]
path = ${ABLE_PLUGINS}
[sensor_data]
send_sensor_data = true
`,
    });
    const { uuid } = await daemon.createNode({ driver: 'able-hardware' });
    daemon.services.db.nodes.update(uuid, { provision_state: 'active' });
    for (const warmth of [0, 4]) {
      daemon.services.db.nodes.update(uuid, { driver_internal_info: { warmth } });
      await daemon.clock.advance(600_000);
      await daemon.idle();
    }
    const { status, json } = await daemon.request('GET', `/v1/nodes/${uuid}/sensors/history`);
    const { times, sensors } = json as { times: string[]; sensors: Record<string, unknown>[] };
    assert.deepEqual([status, times.length, sensors.length], [200, BUCKETS, 1]);
    assert.match(times[0] ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d[05]:00\.000\+00:00$/);
    const [{ mean, ...named } = {}] = sensors;
    assert.deepEqual([named['type'], named['sensor'], named['unit']], ['Temperature', 'Inlet@1', 'celsius']);
    assert.deepEqual(
      (mean as (number | null)[]).filter((each) => each !== null),
      [20, 24],
    );
  });
});
