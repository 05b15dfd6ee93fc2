// The properties of logical disks in a RAID configuration.
import type { JsonObject } from '../json.ts';

/** The JSON Schema of one logical disk. The API shows the descriptions of the properties. */
export interface LogicalDiskSchema {
  readonly properties: Readonly<Record<string, JsonObject & { readonly description: string }>>;
  readonly required: readonly string[];
  /** The properties that each property requires. */
  readonly dependencies?: Readonly<Record<string, readonly string[]>>;
}

/** The properties that most controllers support. */
export const logicalDiskSchema: LogicalDiskSchema = {
  properties: {
    raid_level: {
      enum: ['JBOD', '0', '1', '2', '5', '6', '1+0', '5+0', '6+0'],
      description: 'RAID level: JBOD, 0, 1, 2, 5, 6, 1+0, 5+0 or 6+0. Required.',
    },
    size_gb: {
      anyOf: [{ type: 'integer', minimum: 0 }, { enum: ['MAX'] }],
      description: 'Size in GiB as an integer, or MAX for all remaining space. Required.',
    },
    volume_name: {
      type: 'string',
      description: 'Name of the volume. Optional; by default the controller chooses one.',
    },
    is_root_volume: {
      type: 'boolean',
      description: 'Whether this is the root volume; true for at most one disk. Optional, default false.',
    },
    share_physical_disks: {
      type: 'boolean',
      description: 'Whether other volumes may use the same physical disks. Optional, default false.',
    },
    disk_type: {
      enum: ['hdd', 'ssd'],
      description: 'Type of the physical disks: hdd or ssd. Optional, default any.',
    },
    interface_type: {
      enum: ['sata', 'scsi', 'sas'],
      description: 'Interface of the physical disks: sata, scsi or sas. Optional, default any.',
    },
    number_of_physical_disks: {
      type: 'integer',
      minimum: 1,
      description: 'Number of physical disks to use. Optional, default: the minimum of the RAID level.',
    },
    controller: {
      type: 'string',
      description:
        'The controller to use, as named by the BMC. Required with physical_disks, otherwise optional.',
    },
    physical_disks: {
      type: 'array',
      items: { type: ['string', 'object'] },
      description: 'The physical disks to use, as named by the controller. Optional.',
    },
  },
  required: ['raid_level', 'size_gb'],
  dependencies: { physical_disks: ['controller'] },
};
