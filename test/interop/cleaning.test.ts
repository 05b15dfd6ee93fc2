import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ABLE_PLUGINS } from '../fakes/daemon/able-session.ts';
import { baremetalShell } from '../fakes/clients/baremetal-client.ts';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';
import { stepsFile } from '../fakes/steps-file.ts';
import { newestPython, skipWithoutNewestClient } from '../setup/newest-client.ts';
import { skipWithout } from '../setup/packages.ts';

const settings = [{ name: 'Turbo', value: 'on' }];
const apply = { interface: 'bios', step: 'apply', args: { settings } };
const reset = { interface: 'bios', step: 'factory_reset' };
const environment = {
  IRONIC_PLUGINS__PATH: ABLE_PLUGINS,
  IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'stepping',
};

test(
  "Debian's client cleans with a file of steps, aborts a cleaning and shows why another failed",
  { skip: skipWithout('python3-ironicclient') },
  async (t) => {
    await using daemon = await DaemonProcess.start(environment);
    await using client = baremetalShell(daemon.url);
    const { done, json, refused } = client;
    await done('node create --driver stepping --name n1');
    await done('node manage n1 --wait 20');
    await done(`node clean n1 --clean-steps ${stepsFile(t, [apply, reset])} --wait 20`);
    const { driver_internal_info: memory } = (await json('node show n1 --fields driver_internal_info')) as {
      driver_internal_info: { notes: readonly string[] };
    };
    assert.deepEqual(memory.notes.slice(-2), [`apply ${JSON.stringify({ settings })}`, 'factory_reset']);

    await done(`node clean n1 --clean-steps ${stepsFile(t, [{ interface: 'bios', step: 'hold' }])}`);
    await daemon.nodeWhen('n1', (node) => node.provision_state === 'clean hold');
    await done('node abort n1');
    await daemon.nodeWhen('n1', (node) => node.provision_state === 'clean failed');
    await done('node manage n1');

    const wrong = stepsFile(t, [{ interface: 'bios', step: 'apply' }]);
    assert.match(await refused(`node clean n1 --clean-steps ${wrong} --wait 20`), /clean failed/);
    assert.partialDeepStrictEqual(await json('node show n1 --fields last_error provision_state'), {
      last_error:
        `Cleaning failed: The clean steps cannot run on node ${(await daemon.node('n1')).uuid}: ` +
        'step bios.apply lacks the required arguments settings.',
      provision_state: 'clean failed',
    });
  },
);

test(
  'the newest client cleans with a runbook and unholds a node',
  { skip: skipWithoutNewestClient() },
  async (t) => {
    await using daemon = await DaemonProcess.start(environment);
    await using client = baremetalShell(daemon.url, newestPython);
    const { done } = client;
    const reached = (state: string) => daemon.nodeWhen('n1', (node) => node.provision_state === state);
    await daemon.request('POST', '/v1/nodes', { driver: 'stepping', name: 'n1' });
    await daemon.request('PUT', '/v1/nodes/n1/states/provision', { target: 'manage' });
    await reached('manageable');
    await daemon.request('PUT', '/v1/nodes/n1/traits/CUSTOM_BIOS');
    const hold = { interface: 'bios', step: 'hold', order: 2 };
    const steps = stepsFile(t, [{ ...reset, order: 3 }, hold, { ...apply, order: 1 }]);
    await done(`runbook create --name CUSTOM_BIOS --steps ${steps}`);
    await daemon.request('PUT', '/v1/runbooks/CUSTOM_BIOS/traits/CUSTOM_BIOS');
    await done('node clean n1 --runbook CUSTOM_BIOS');
    assert.equal((await reached('clean hold')).target_provision_state, 'manageable');
    await done('node unhold n1');
    const { driver_internal_info: memory } = await reached('manageable');
    const notes = memory['notes'] as readonly string[];
    assert.deepEqual(notes.slice(-2), [`apply ${JSON.stringify({ settings })}`, 'factory_reset']);
    const { body } = await daemon.request<{ history: readonly Readonly<Record<string, unknown>>[] }>(
      'GET',
      '/v1/nodes/n1/history/detail',
    );
    assert.deepEqual(
      body.history.map((entry) => entry['event_type']),
      ['manual_cleaning_start', 'manual_cleaning_end'],
    );
  },
);
