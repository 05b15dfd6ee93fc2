// The console interface `redfish-link`: returns the address of the BMC, whose web page shows the screen of the machine.
import { defineConsole, fault } from '#plugin-api';
import { converse } from './bmc/converse.ts';
import { bmcConnectionOf, connectionProperties } from './bmc/connection.ts';
import { objectIn } from './bmc/fields.ts';

export const redfishLink = defineConsole({
  properties: connectionProperties,
  validate(task) {
    bmcConnectionOf(task);
  },
  /** Starts nothing. Throws UnsupportedDriverExtension when the graphical console is switched off in the BMC. */
  startConsole: (task) =>
    converse(task, { operation: 'Reading the console' }, async (bmc) => {
      const manager = await bmc.optional('its Manager', () => bmc.manager());
      const { ServiceEnabled: enabled } = objectIn(manager?.['GraphicalConsole']);
      if (enabled === false)
        throw fault('UnsupportedDriverExtension', {
          driver: task.node.driver,
          extension: 'the graphical console, which is switched off in the BMC',
        });
    }),
  async stopConsole() {},
  async getConsole(task) {
    return { type: 'redfish-link', url: bmcConnectionOf(task).address };
  },
});
