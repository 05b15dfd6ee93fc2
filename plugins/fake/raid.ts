// The fake raid interface: takes any configuration that could be built, and builds nothing.
import { defineRaid, logicalDiskSchema } from '#plugin-api';

export const fakeRaid = defineRaid({ properties: {}, validate() {}, logicalDisk: logicalDiskSchema });
