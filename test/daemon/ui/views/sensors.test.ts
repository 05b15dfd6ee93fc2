import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { get } from '../../../fakes/clients/page.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { fillMachine } from '../../../fakes/machines/shown-machine.ts';
import { lineChart } from '../../../../daemon/ui/views/node/chart.ts';

const chartOf = async (mean: readonly (number | null)[], longestGap: number) => {
  const course = { mean, least: mean, greatest: mean };
  const text = String(await lineChart({ course, about: 'a sensor', longestGap }));
  return /class="line" d="([^"]*)"/.exec(text)?.[1];
};

describe('the line of a sensor', () => {
  it('goes over short gaps, stops at long ones, and shows a single reading as a dot', async () => {
    const line = await chartOf([1, null, 3, null, null, null, 2], 1);
    assert.equal(line, 'M0 56.0L2 4.0M6 30.0h0.01');
  });

  it('is in the middle where the readings hardly differ', async () => {
    assert.equal(await chartOf([5000, 5001], 1), 'M0 30.1L1 29.9');
  });
});

describe('the tab Sensors', () => {
  it('draws a line for each sensor with its bounds, problems first, and has all in a table', async (t) => {
    const daemon = await startInProcess(t, { ini: '[sensor_data]\nsend_sensor_data = true\n' });
    const { uuid } = await daemon.createNode();
    fillMachine(daemon.services, uuid, daemon.clock.now());
    const text = (await get(daemon, `/ui/nodes/${uuid}/sensors`)).text.replaceAll(/\s+/g, ' ');
    assert.match(text, /5 sensors, .*1 with a problem\./);
    const cards = [...text.matchAll(/class="card sensor">.*?<h2[^>]*>([^<]*)</g)].map(([, name]) => name);
    assert.deepEqual(cards, ['Fan 2', 'Inlet', 'Total', 'Fan 1']);
    assert.match(text, /aria-label="Inlet, Temperature: 24 hours, from 19 °C to 25 °C"/);
    assert.match(text, /<b>174 W<\/b>.*?24 h: 60 W to 177 W/);
    assert.match(text, /<th scope="row"[^>]*>Bay 1<\/th>/);
    assert.equal([...text.matchAll(/<path class="line" d="M0 /g)].length, 0);
  });

  it('says how sensors are switched on, and that there is no reading yet', async (t) => {
    const off = await startInProcess(t);
    const { uuid } = await off.createNode();
    const text = (await get(off, `/ui/nodes/${uuid}/sensors`)).text;
    assert.match(text, /Sensors are not read.*send_sensor_data = true/s);
    const on = await startInProcess(t, { ini: '[sensor_data]\nsend_sensor_data = true\n' });
    const node = await on.createNode();
    assert.match((await get(on, `/ui/nodes/${node.uuid}/sensors`)).text, /No reading yet/);
  });
});
