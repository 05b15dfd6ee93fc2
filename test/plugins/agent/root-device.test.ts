import { test } from 'node:test';
import type { JsonObject } from '../../../daemon/plugin-api/index.ts';
import { checkRootDevice } from '../../../plugins/agent/root-device.ts';
import { throwsFault } from '../../fakes/faults.ts';
import { fakeTask } from '../../fakes/task.ts';

const check = (ofInstance: JsonObject, ofNode: JsonObject = {}) =>
  checkRootDevice(fakeTask({ node: { instance_info: ofInstance, properties: ofNode } }));
const hinted = (hints: JsonObject) => ({ root_device: hints });

test('valid hints are accepted, and so is a missing or empty root_device', () => {
  for (const hints of [
    { size: 100 },
    { size: '>= 100' },
    { size: '<range-in> [ 100 200 ]' },
    { serial: 's== ABC' },
    { model: '<in> perc' },
    { vendor: '<or> dell <or> hpe' },
    { rotational: false },
    { wwn: '0x5000c500', name: '/dev/sda' },
  ])
    check(hinted(hints));
  for (const none of [{}, { root_device: null }, { root_device: {} }]) check(none);
});

test('a wrong hint is refused with a message that says what is expected', () => {
  for (const [hints, reason] of [
    [{ sise: 100 }, /instance_info\/root_device\/sise: there is no such hint. Known: size, rotational/],
    [{ size: 'large' }, /root_device\/size: expected a number of GiB/],
    [{ rotational: 'perhaps' }, /root_device\/rotational: expected true or false/],
    [{ model: '>= perc' }, /s== and s!= compare text/],
  ] as const)
    throwsFault(() => check(hinted(hints)), 400, reason);
  throwsFault(() => check({ root_device: '/dev/sda' }), 400, /expected an object of hints/);
});

test('the hints of the instance take precedence over those of the node', () => {
  check(hinted({ size: 100 }), hinted({ size: 'wrong' }));
  throwsFault(() => check({}, hinted({ size: 'wrong' })), 400, /properties\/root_device\/size/);
});
