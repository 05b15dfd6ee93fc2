// The fake raid interface: accepts every valid configuration and builds nothing.
import { defineRaid, logicalDiskSchema } from '#plugin-api';

export const fakeRaid = defineRaid({ properties: {}, validate() {}, logicalDisk: logicalDiskSchema });
