// The test files that show what the daemon does with quirks of BMCs and in the situations it was designed for.

const files = {
  address: 'test/plugins/redfish/bmc/connection.test.ts',
  client: 'test/plugins/redfish/bmc/redfish-client.test.ts',
  session: 'test/plugins/redfish/bmc/session.test.ts',
  bios: 'test/plugins/redfish/bios/bios.test.ts',
  management: 'test/plugins/redfish/management/management.test.ts',
  media: 'test/plugins/redfish/management/media/virtual-media.test.ts',
  events: 'test/plugins/redfish/management/events.test.ts',
  boot: 'test/plugins/redfish/boot/boot.test.ts',
  seen: 'test/plugins/redfish/quirks/seen-quirks.test.ts',
  scale: 'test/plugins/redfish/scale.test.ts',
  firmware: 'test/plugins/redfish/firmware/firmware.test.ts',
  power: 'test/plugins/redfish/power/power.test.ts',
  inspect: 'test/plugins/redfish/inspect/inspect.test.ts',
  raid: 'test/plugins/redfish/raid/raid.test.ts',
  idrac: 'test/plugins/idrac/idrac.test.ts',
  rack: 'test/interop/redfish/rack.test.ts',
  lookup: 'test/daemon/conductor/ramdisk/lookup.test.ts',
  http: 'test/daemon/boot/http/boot-http-server.test.ts',
} as const;

/** Where a test is, and its title. */
export type Shown = readonly [keyof typeof files, string];

export const fileOf = ([file]: Shown): string => files[file];
