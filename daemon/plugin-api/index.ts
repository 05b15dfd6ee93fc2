// "#plugin-api": everything a plugin may import. Semantic versioning covers exactly these exports.
export const PLUGIN_API_VERSION = '1.1.0';

export type * from './agent.ts';
export * from './boot/appended-parameters.ts';
export type * from './bmc.ts';
export * from './boot/boot-disk.ts';
export * from './boot/boot-mode.ts';
export type * from './boot/dhcp.ts';
export * from './driver.ts';
export * from './driver-info.ts';
export * from './hooks.ts';
export type * from './images.ts';
export * from './interfaces/bios.ts';
export * from './interfaces/boot.ts';
export * from './interfaces/console.ts';
export * from './interfaces/deploy.ts';
export * from './interfaces/driver-interface.ts';
export * from './interfaces/firmware.ts';
export * from './interfaces/inspect.ts';
export * from './interfaces/management.ts';
export * from './interfaces/network.ts';
export * from './interfaces/power.ts';
export * from './interfaces/raid.ts';
export * from './interfaces/rescue.ts';
export * from './interfaces/storage.ts';
export * from './interfaces/vendor.ts';
export * from './options.ts';
export * from './own-faults.ts';
export * from './boot/ramdisk-images.ts';
export type * from './periodic.ts';
export type * from './steps.ts';
export type * from './task.ts';
export type { TlsSettings } from '../lib/http-client/connection.ts';
export {
  HttpClient,
  type HttpClientSettings,
  type HttpRequest,
  type StreamedBody,
} from '../lib/http-client/http-client.ts';
export { failureReason, HttpFailure } from '../lib/http-client/http-failure.ts';
export type { HttpReply } from '../lib/http-client/send-request.ts';
export { canonicalIp, isHostAddress, isInSubnet, isLoopback, isSubnet } from '../lib/network/ip.ts';
export { isListedHost } from '../lib/network/listed-host.ts';
export type { Logger } from '../lib/logger.ts';
export { type BoundedProgram, type Ended, runBounded } from '../lib/run-bounded.ts';
export { readYaml } from '../lib/files/read-yaml.ts';
export { parseMac, parseStationMac } from '../lib/network/mac.ts';
export { booleanOf } from '../lib/words.ts';
export { bmcHosts } from '../model/machine/bmc-hosts.ts';
export type { BootDevice } from '../model/machine/boot-devices.ts';
export type { BootMode } from '../model/machine/boot-modes.ts';
export type { BootProtocol } from '../model/machine/boot-protocols.ts';
export { capabilityOf, parseCapabilities, withCapability } from '../model/machine/capabilities.ts';
export { secureBootWanted } from '../model/machine/deploy-capabilities.ts';
export { type ConfigDriveFile, configDriveFiles, configDriveFlaw } from '../model/config-drive.ts';
export { diskTest, type DiskTest } from '../model/instance/root-device-hints.ts';
export { Fault, fault, reasonOf } from '../model/faults.ts';
export { CHECKSUM_FORMS, type Checksum, parseChecksum } from '../model/machine/image-checksum.ts';
export { hasFastTrack } from '../model/machine/fast-track.ts';
export type { Indicator, IndicatorState } from '../model/machine/indicators.ts';
export {
  ISCSI_WAYS,
  type IscsiBoot,
  iscsiFlaw,
  type IscsiPath,
  pathFlaw,
} from '../model/instance/iscsi-boot.ts';
export { isJsonObject, type Json, type JsonObject, jsonObjectIn } from '../model/json.ts';
export { parseKernelParameters, type KernelParameters } from '../model/machine/kernel-parameters.ts';
export type { MachineIdentity } from '../model/machine/machine-identity.ts';
export type { Node } from '../model/records/node.ts';
export type { Port } from '../model/records/port.ts';
export type { VolumeConnector, VolumeTarget } from '../model/records/volume.ts';
export type { SensorReading } from '../model/machine/sensors.ts';
export { logicalDiskSchema, type LogicalDiskSchema } from '../model/steps/raid.ts';
export type { StepPhase } from '../model/steps/step-phases.ts';
export type { ProvisionState } from '../model/states/provision-states.ts';
export { type StateFacts, stateFacts } from '../model/states/provision-states.ts';
export type { Work } from '../model/states/state-permissions.ts';
export type { ProvisionVerb } from '../model/states/verbs.ts';
export { resultOf, type PowerState, type PowerTarget } from '../model/states/power-states.ts';
export type { VirtualMediaDevice, VirtualMediaDrive } from '../model/machine/virtual-media.ts';
