// An in-memory task for a OneView node, and a simulated appliance on the task's clock.
import {
  type ApplianceSettings,
  SimulatedAppliance,
  USERS,
} from '../../../daemon/simulator/oneview/appliance.ts';
import { BLADE_TYPE, TEMPLATES } from '../../../daemon/simulator/oneview/rack.ts';
import type { ApplianceServer } from '../../../daemon/simulator/oneview/state.ts';
import type { JsonObject, Node, PowerTarget } from '../../../daemon/plugin-api/index.ts';
import { oneviewPower } from '../../../plugins/oneview/power.ts';
import manifest from '../../../plugins/oneview/plugin.json' with { type: 'json' };
import type { Ending } from '../daemon/in-process-daemon.ts';
import { fakeTask, type FakeTask } from '../task.ts';

export interface OneviewBench {
  readonly task: FakeTask;
  readonly appliance: SimulatedAppliance;
  readonly server: ApplianceServer;
  /** Gives the server a profile and notes in the node that the driver applied it. Returns the profile's URI. */
  readonly apply: (more?: JsonObject) => Promise<string>;
  /** The requests other than reads and logins, with `SERVER` in place of the server's URI. */
  readonly writes: () => readonly string[];
}

interface BenchOptions {
  readonly node?: Partial<Node>;
  readonly template?: keyof typeof TEMPLATES;
  readonly options?: object;
  readonly appliance?: Partial<ApplianceSettings>;
  readonly ports?: readonly string[];
}

const defaults = Object.fromEntries(
  Object.entries(manifest.configuration.oneview.properties).map(([name, schema]) => [
    name,
    'default' in schema ? schema.default : null,
  ]),
);

export const capabilitiesFor = (template: keyof typeof TEMPLATES): string =>
  `server_hardware_type_uri:${BLADE_TYPE},server_profile_template_uri:${TEMPLATES[template]}`;

export async function oneviewBench(test: Ending, given: BenchOptions = {}): Promise<OneviewBench> {
  const oneview: Record<string, unknown> = { ...defaults, username: 'ironic', password: USERS.ironic };
  const ports = (given.ports ?? []).map((address) => ({ address }) as never);
  const task = fakeTask({
    ports,
    configuration: { oneview },
    node: {
      driver: 'oneview',
      properties: { capabilities: capabilitiesFor(given.template ?? 'good') },
      driver_info: { server_hardware_uri: '' },
      ...given.node,
    },
  });
  const appliance = await SimulatedAppliance.start({
    clock: task.clock,
    random: () => 0.5,
    ...given.appliance,
  });
  test.after(async () => appliance.stop());
  const server = appliance.addServer(1);
  Object.assign(oneview, { manager_url: appliance.url }, given.options);
  await task.update({ driver_info: { ...task.node.driver_info, server_hardware_uri: server.uri } });
  Object.assign(task, { setPower: (target: PowerTarget) => oneviewPower.setPowerState(task, target, 60) });
  return {
    task,
    appliance,
    server,
    async apply(more = {}) {
      const uri = appliance.claim(server);
      const profile = appliance.state.profiles.get(uri);
      if (profile) profile.body = { ...profile.body, boot: { order: ['HardDisk', 'PXE', 'CD'] }, ...more };
      await task.update({ driver_info: { ...task.node.driver_info, applied_server_profile_uri: uri } });
      return uri;
    },
    writes: () =>
      appliance.journal
        .filter(({ method, path }) => method !== 'GET' && !path.includes('login'))
        .map(({ method, path }) => `${method} ${path.replace(server.uri, 'SERVER')}`),
  };
}
