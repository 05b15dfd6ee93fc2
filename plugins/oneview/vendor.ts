// The vendor interface `oneview`: moves a node from pre-allocation, where its server always has a profile, to dynamic allocation.
import { booleanOf, defineVendor, fault, type Json, type JsonObject } from '#plugin-api';
import { applianceUrl } from './appliance/appliance.ts';
import { migrateNode } from './migrate.ts';
import { driverInfo, serverHardwareOf } from './server/node-fields.ts';

export const oneviewVendor = defineVendor({
  properties: driverInfo,
  validate(task) {
    serverHardwareOf(task.node);
    applianceUrl(task);
  },
  nodeMethods: {
    migrate_to_dynamic_allocation: {
      httpMethods: ['POST'],
      description:
        'Moves a node that was enrolled with a server profile on its server to dynamic allocation. dry_run: only shows what would be done; power_off: switches a server off to remove its profile.',
      runs: 'wait',
      validate: (_task, given) => void [flagIn(given, 'dry_run'), flagIn(given, 'power_off')],
      call: (task, given) =>
        migrateNode(task, { isDryRun: flagIn(given, 'dry_run'), mayPowerOff: flagIn(given, 'power_off') }),
    },
  },
});

/** Throws InvalidParameter. */
function flagIn(given: JsonObject, name: string): boolean {
  const value: Json = given[name] ?? false;
  const flag = typeof value === 'string' ? booleanOf(value) : value;
  if (typeof flag === 'boolean') return flag;
  throw fault('InvalidParameter', { name, reason: `${JSON.stringify(value)}; expected true or false` });
}
