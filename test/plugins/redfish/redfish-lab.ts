// A simulated BMC and a task for its node, on one fake clock.
import type { TestContext } from 'node:test';
import type { JsonObject, Node } from '../../../daemon/plugin-api/index.ts';
import { type FakeRedfish, type FakeRedfishSettings, startFakeRedfish } from '#plugin-api/fake-redfish';
import manifest from '../../../plugins/redfish/plugin.json' with { type: 'json' };
import { type FakeTask, fakeTask, type FakeTaskOptions } from '../../fakes/task.ts';

export interface RedfishLab extends FakeRedfish {
  readonly task: FakeTask;
}

export interface LabSettings extends Omit<FakeRedfishSettings, 'clock'> {
  /** Changes to the node's driver_info. */
  readonly info?: JsonObject;
  readonly node?: Partial<Node>;
  /** Changes to the default options of [redfish]. */
  readonly options?: JsonObject;
  readonly task?: Omit<FakeTaskOptions, 'node' | 'configuration'>;
}

/** The plugin's options in [redfish] with their defaults; null for an option without a default. */
export const defaults: JsonObject = Object.fromEntries(
  Object.entries(manifest.configuration.redfish.properties).map(([name, option]) => [
    name,
    'default' in option ? option.default : null,
  ]),
);

export async function redfishLab(
  t: Pick<TestContext, 'after'>,
  settings: LabSettings = {},
): Promise<RedfishLab> {
  let clock: FakeTask['clock'] | undefined;
  // the BMC needs the clock of the task, but the task is made later, because it needs the address of the BMC
  const later = {
    now: () => clock?.now() ?? 0,
    monotonic: () => clock?.monotonic() ?? 0,
    after: (milliseconds: number, action: () => void) =>
      clock?.after(milliseconds, action) ?? (() => undefined),
  };
  const { info, node, options, task: more, ...fake } = settings;
  const lab = await startFakeRedfish({ ...fake, clock: later });
  t.after(() => lab.stop());
  const login = { redfish_address: lab.address, redfish_username: 'admin', redfish_password: 'secret' };
  const task = fakeTask({
    ...more,
    node: { driver: 'redfish', power_state: 'power off', ...node, driver_info: { ...login, ...info } },
    configuration: configurationWith(options),
  });
  clock = task.clock;
  return { ...lab, task };
}

/** `options`: changes to the default options of [redfish]. */
export const configurationWith = (options: JsonObject = {}) => ({
  redfish: { ...defaults, ...options },
  conductor: {},
  deploy: { default_boot_mode: 'uefi' },
  DEFAULT: { debug: false },
});
