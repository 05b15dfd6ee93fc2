// What a RAID configuration may ask for.
import type { JsonObject } from './json.ts';

/** JSON Schema of one logical disk; each property is described, for the API shows the descriptions. */
export interface LogicalDiskSchema {
  readonly properties: Readonly<Record<string, JsonObject & { readonly description: string }>>;
  readonly required: readonly string[];
  /** Property -> the others that it needs. */
  readonly dependencies?: Readonly<Record<string, readonly string[]>>;
}

/** What most controllers can be asked for. */
export const logicalDiskSchema: LogicalDiskSchema = {
  properties: {
    raid_level: {
      enum: ['JBOD', '0', '1', '2', '5', '6', '1+0', '5+0', '6+0'],
      description: 'RAID level: JBOD, 0, 1, 2, 5, 6, 1+0, 5+0 or 6+0. Required.',
    },
    size_gb: {
      anyOf: [{ type: 'integer', minimum: 0 }, { enum: ['MAX'] }],
      description: 'Size in GiB as an integer, or MAX for all the space that is left. Required.',
    },
    volume_name: {
      type: 'string',
      description: 'Name of the volume; the controller chooses one when it is absent. Optional.',
    },
    is_root_volume: {
      type: 'boolean',
      description: 'Whether this is the disk to deploy to; true for one at most. Optional, default false.',
    },
    share_physical_disks: {
      type: 'boolean',
      description: 'Whether other volumes may lie on the same physical disks. Optional, default false.',
    },
    disk_type: {
      enum: ['hdd', 'ssd'],
      description: 'Kind of physical disk: hdd or ssd. Optional, any kind when absent.',
    },
    interface_type: {
      enum: ['sata', 'scsi', 'sas'],
      description: 'Interface of the physical disks: sata, scsi or sas. Optional, any when absent.',
    },
    number_of_physical_disks: {
      type: 'integer',
      minimum: 1,
      description: 'How many physical disks to use. Optional, what the RAID level needs when absent.',
    },
    controller: {
      type: 'string',
      description: "The controller to use, by the BMC's name for it. Optional, required with physical_disks.",
    },
    physical_disks: {
      type: 'array',
      items: { type: ['string', 'object'] },
      description: "The physical disks to use, by the controller's names for them. Optional.",
    },
  },
  required: ['raid_level', 'size_gb'],
  dependencies: { physical_disks: ['controller'] },
};
