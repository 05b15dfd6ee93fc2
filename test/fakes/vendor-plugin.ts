// A vendor's plugin in its own folder: machines with an IPMI BMC and a separate power controller.
import { pluginFolder, type PluginFiles, pluginManifest } from './plugin-folder.ts';

export const vendorManifest = pluginManifest('rackpower', {
  version: '2.3.0',
  summary: 'Servers whose power a rack controller switches',
  entryPoints: {
    'ironic.hardware.interfaces.power': { rackpower: './power.ts:rackPower' },
    'ironic.hardware.interfaces.vendor': { rackpower: './vendor.ts:rackVendor' },
    'ironic.inspection.hooks': { 'rack-position': './rack-position.js:rackPosition' },
  },
  hardwareTypes: {
    rackserver: {
      extends: 'ipmi',
      supported: { power: ['rackpower', '...'], vendor: ['rackpower', '...'] },
    },
  },
  configuration: {
    rackpower: {
      type: 'object',
      properties: {
        row: { type: 'string', default: 'A', description: 'The row that the racks stand in.' },
        patience: {
          type: 'integer',
          minimum: 1,
          default: 5,
          description: 'Seconds to wait for a controller.',
        },
      },
    },
  },
});

const controller = `// A request to the controller of a rack.
import { driverInfoText, fault, optionsIn, reasonOf, requireDriverInfo, type Task } from '#plugin-api';
import manifest from './plugin.json' with { type: 'json' };

const options = optionsIn(manifest, 'rackpower');

export const properties = {
  rackpower_url: { description: 'URL of the controller.', required: true, example: 'http://192.0.2.1:1' },
  rackpower_token: { description: 'Token of the controller.', secret: true },
} as const;

export const checkRecord = ({ node }: Task) => {
  requireDriverInfo(node, properties);
  driverInfoText(node, 'rackpower_url', '');
  driverInfoText(node, 'rackpower_token', '');
};

export async function request(task: Task, method: string, path: string, body?: string): Promise<string> {
  const address = driverInfoText(task.node, 'rackpower_url', '');
  const deadline = options(task).patience * 1000;
  return task.bmc(address, { deadline }, async ({ signal }) => {
    try {
      const answer = await fetch(address + path, { method, signal, ...(body === undefined ? {} : { body }) });
      return await answer.text();
    } catch (error) {
      throw fault('BmcFailure', { operation: path, node: task.node.uuid, address, reason: reasonOf(error) });
    }
  });
}
`;

const power = `import { definePower, resultOf } from '#plugin-api';
import { checkRecord, properties, request } from './controller.ts';

export const rackPower = definePower({
  properties,
  supportedTargets: ['power on', 'power off', 'rebooting'],
  supportsPowerSync: true,
  validate: checkRecord,
  async getPowerState(task) {
    return (await request(task, 'GET', '/power')) === 'on' ? 'power on' : 'power off';
  },
  async setPowerState(task, target) {
    await request(task, 'PUT', '/power', resultOf(target) === 'power on' ? 'on' : 'off');
  },
});
`;

const vendor = `import { defineVendor } from '#plugin-api';
import { checkRecord, properties, request } from './controller.ts';

export const rackVendor = defineVendor({
  properties,
  validate: checkRecord,
  nodeMethods: {
    events: {
      httpMethods: ['GET'],
      description: 'What the controller has recorded.',
      runs: 'wait',
      call: async (task) => ({ events: (await request(task, 'GET', '/events')).split('\\n') }),
    },
    leak: {
      httpMethods: ['POST'],
      description: 'Answers; with the argument drop, also causes two errors that nothing catches.',
      runs: 'wait',
      async call(_, { drop }) {
        if (drop === undefined) return;
        setTimeout(() => { throw new Error('dropped by the rackpower plugin'); }, 0);
        void Promise.reject(new Error('forgotten by the rackpower plugin'));
      },
    },
  },
  driverMethods: {
    row: {
      httpMethods: ['GET'],
      description: 'The row that the racks stand in.',
      runs: 'wait',
      call: async ({ configuration }) => String(configuration['rackpower']?.['row']),
    },
  },
  steps: {
    clear_events: {
      description: 'Empties what the controller has recorded.',
      priorities: { clean: 30 },
      requiresRamdisk: false,
      abortable: true,
      arguments: { reason: { description: 'Why, for the log.' } },
      async run(task, { reason }) {
        task.log.info({ reason }, 'events cleared');
        await request(task, 'DELETE', '/events');
        return 'done';
      },
    },
  },
});
`;

const hook = `import { defineHook } from '#plugin-api';

export const rackPosition = defineHook({
  call({ node, inventory, configuration }) {
    node.extra.rack = configuration.rackpower.row + '-' + (inventory.system_vendor?.serial_number ?? 'unknown');
  },
});
`;

export const vendorFiles = {
  'rackpower/plugin.json': vendorManifest,
  'rackpower/controller.ts': controller,
  'rackpower/power.ts': power,
  'rackpower/vendor.ts': vendor,
  'rackpower/rack-position.js': hook,
} satisfies PluginFiles;

/** Writes the plugin, with the files in `changed` added or replaced, and returns its search path. */
export const vendorPlugin = (test: Parameters<typeof pluginFolder>[0], changed: PluginFiles = {}): string =>
  pluginFolder(test, { ...vendorFiles, ...changed });
