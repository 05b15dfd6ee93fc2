// The target RAID configuration of a node, and the logical disk properties that its driver supports.
import { createAjv } from '../../lib/json/lazy-ajv.ts';
import { fault } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import type { LogicalDiskSchema } from '../../model/steps/raid.ts';
import type { RaidInterface } from '../../plugin-api/index.ts';
import { defaultInterface } from '../drivers/drivers.ts';
import { wayTo } from './unsupported.ts';
import type { HardwareServices } from './services.ts';
import { withTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';

/**
 * Stores the configuration; an empty one clears it, whatever the driver. For any other, throws InvalidSchema, or RaidUnsupported if
 * the driver has no RAID.
 */
export function setTargetRaidConfig(
  context: Call<HardwareServices>,
  uuid: string,
  config: JsonObject,
): Promise<void> {
  return withTask(context, uuid, (task) => {
    if (Object.keys(config).length > 0)
      checkRaidConfig(
        schemaOf(task.driver.raid, task.node.driver, wayTo(task, ['raid', 'logicalDisk'])),
        config,
      );
    task.store({ target_raid_config: config });
  });
}

/** Returns the description of each property of a logical disk, by property name. Throws DriverNotFound or RaidUnsupported. */
export function describeLogicalDisk(
  services: HardwareServices,
  driver: string,
): Readonly<Record<string, string>> {
  const { properties } = schemaOf(defaultInterface(services, driver, 'raid'), driver);
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, property.description]),
  );
}

function schemaOf(raid: RaidInterface | undefined, driver: string, way = ''): LogicalDiskSchema {
  if (raid?.logicalDisk === undefined) throw fault('RaidUnsupported', { driver, way });
  return raid.logicalDisk;
}

const refuse = (reason: string) => fault('InvalidSchema', { resource: 'target_raid_config', reason });

/**
 * Throws InvalidSchema unless `config` consists of `logical_disks`, a list of one or more disks. Each must fit the schema
 * `logicalDisk`, and at most one may be the root volume.
 */
export function checkRaidConfig(logicalDisk: LogicalDiskSchema, config: JsonObject): void {
  const ajv = createAjv({ strict: false, meta: true, validateSchema: true });
  const schema = {
    type: 'object',
    properties: {
      logical_disks: {
        type: 'array',
        minItems: 1,
        items: { type: 'object', additionalProperties: false, ...logicalDisk },
      },
    },
    required: ['logical_disks'],
    additionalProperties: false,
  };
  if (!ajv.validate(schema, config)) throw refuse(ajv.errorsText(ajv.errors, { dataVar: 'configuration' }));
  const disks = config['logical_disks'] as readonly JsonObject[];
  if (disks.filter((disk) => disk['is_root_volume'] === true).length > 1) {
    throw refuse('is_root_volume is true for more than one logical disk');
  }
}
