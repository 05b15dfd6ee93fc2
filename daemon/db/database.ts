// The database as used by the rest of the daemon: its tables, and transactions across them.
import { type Connection, openDatabase } from './open.ts';
import { type Transactions, transactionsOf } from './transactions.ts';
import { type ConductorsTable, createConductorsTable } from './tables/conductors.ts';
import { type BootingPortsTable, createBootingPortsTable } from './tables/boot/booting-ports.ts';
import { createDhcpLeasesTable, type DhcpLeasesTable } from './tables/boot/dhcp-leases.ts';
import { createDhcpRivalsTable, type DhcpRivalsTable } from './tables/boot/dhcp-rivals.ts';
import { createEventsTable, type EventsTable } from './tables/events.ts';
import { createFoundBmcsTable, type FoundBmcsTable } from './tables/zero-touch/found-bmcs.ts';
import { createMachineEventsTable, type MachineEventsTable } from './tables/machine-events.ts';
import { createNetworkBootsTable, type NetworkBootsTable } from './tables/boot/network-boots.ts';
import { createNodeHistoryTable, type NodeHistoryTable } from './tables/node-history.ts';
import { createNodeHardwareTable, type NodeHardwareTable } from './tables/node-hardware.ts';
import { createNodeInventoryTable, type NodeInventoryTable } from './tables/node-inventory.ts';
import { createNodePartsTable, type NodePartsTable } from './tables/node-parts.ts';
import { createNodesTable, type NodesTable } from './tables/nodes.ts';
import {
  createPendingBmcPasswordsTable,
  type PendingBmcPasswordsTable,
} from './tables/pending-bmc-passwords.ts';
import { createQuarantineTable, type QuarantineTable } from './tables/quarantine.ts';
import { createPortsTable, type PortsTable } from './tables/ports.ts';
import { createSensorHistoriesTable, type SensorHistoriesTable } from './tables/sensor-histories.ts';
import { createWorkTimesTable, type WorkTimesTable } from './tables/work-times.ts';
import { createTriedBmcLoginsTable, type TriedBmcLoginsTable } from './tables/zero-touch/tried-bmc-logins.ts';
import { type BmcLoginsTable, createBmcLoginsTable } from './tables/zero-touch/bmc-logins.ts';
import { createSiteKeysTable, type SiteKeysTable } from './tables/zero-touch/site-keys.ts';
import { createUserSessionsTable, type UserSessionsTable } from './tables/people/user-sessions.ts';
import { createUserTokensTable, type UserTokensTable } from './tables/people/user-tokens.ts';
import { createTable, type Table } from './tables/table.ts';
import { type Allocation, allocationFields } from '../model/records/allocation.ts';
import { type BiosSetting, biosSettingFields } from '../model/records/bios-setting.ts';
import { type Chassis, chassisFields } from '../model/records/chassis.ts';
import { type FirmwareComponent, firmwareComponentFields } from '../model/records/firmware-component.ts';
import { type Image, imageFields } from '../model/instance/image.ts';
import { type HardwareClass, hardwareClassFields } from '../model/hardware/hardware-class.ts';
import { type InstanceProfile, profileFields } from '../model/instance/profile.ts';
import {
  createExpectedMachinesTable,
  type ExpectedMachinesTable,
} from './tables/zero-touch/expected-machines.ts';
import { type InspectionRule, inspectionRuleFields } from '../model/rules/inspection-rule.ts';
import { type Portgroup, portgroupFields } from '../model/records/portgroup.ts';
import {
  type DeployTemplate,
  deployTemplateFields,
  type Runbook,
  runbookFields,
} from '../model/steps/step-lists.ts';
import {
  type VolumeConnector,
  volumeConnectorFields,
  type VolumeTarget,
  volumeTargetFields,
} from '../model/records/volume.ts';

export interface Tables {
  readonly nodes: NodesTable;
  readonly ports: PortsTable;
  readonly history: NodeHistoryTable;
  readonly machineEvents: MachineEventsTable;
  readonly networkBoots: NetworkBootsTable;
  readonly inventory: NodeInventoryTable;
  readonly hardware: NodeHardwareTable;
  readonly biosSettings: NodePartsTable<BiosSetting>;
  readonly firmwareComponents: NodePartsTable<FirmwareComponent>;
  readonly conductors: ConductorsTable;
  readonly chassis: Table<Chassis>;
  readonly portgroups: Table<Portgroup>;
  readonly volumeConnectors: Table<VolumeConnector>;
  readonly volumeTargets: Table<VolumeTarget>;
  readonly allocations: Table<Allocation>;
  readonly deployTemplates: Table<DeployTemplate>;
  readonly runbooks: Table<Runbook>;
  readonly inspectionRules: Table<InspectionRule>;
  readonly images: Table<Image>;
  readonly profiles: Table<InstanceProfile>;
  readonly hardwareClasses: Table<HardwareClass>;
  readonly foundBmcs: FoundBmcsTable;
  readonly expectedMachines: ExpectedMachinesTable;
  readonly triedBmcLogins: TriedBmcLoginsTable;
  readonly events: EventsTable;
  readonly quarantine: QuarantineTable;
  readonly pendingBmcPasswords: PendingBmcPasswordsTable;
  readonly bmcLogins: BmcLoginsTable;
  readonly siteKeys: SiteKeysTable;
  readonly dhcpLeases: DhcpLeasesTable;
  readonly dhcp6Leases: DhcpLeasesTable;
  readonly dhcpRivals: DhcpRivalsTable;
  readonly bootingPorts: BootingPortsTable;
  readonly workTimes: WorkTimesTable;
  readonly sensorHistories: SensorHistoriesTable;
  readonly userSessions: UserSessionsTable;
  readonly userTokens: UserTokensTable;
}

export interface Database extends Tables, Transactions {
  close(): void;
}

/** `warn` is called with sentences for the operator. */
export function createDatabase(path: string, warn?: (sentence: string) => void): Database {
  const { connection, close } = openDatabase(path, warn);
  return { ...tablesOf(connection), ...transactionsOf(connection), close };
}

export function tablesOf(connection: Connection): Tables {
  return {
    nodes: createNodesTable(connection),
    ports: createPortsTable(connection),
    history: createNodeHistoryTable(connection),
    machineEvents: createMachineEventsTable(connection),
    networkBoots: createNetworkBootsTable(connection),
    inventory: createNodeInventoryTable(connection),
    hardware: createNodeHardwareTable(connection),
    biosSettings: createNodePartsTable<BiosSetting>(
      connection,
      'node_bios_settings',
      biosSettingFields,
      'name',
    ),
    firmwareComponents: createNodePartsTable<FirmwareComponent>(
      connection,
      'node_firmware_components',
      firmwareComponentFields,
      'component',
    ),
    conductors: createConductorsTable(connection),
    chassis: createTable<Chassis>(connection, 'chassis', chassisFields),
    portgroups: createTable<Portgroup>(connection, 'portgroups', portgroupFields),
    volumeConnectors: createTable<VolumeConnector>(connection, 'volume_connectors', volumeConnectorFields),
    volumeTargets: createTable<VolumeTarget>(connection, 'volume_targets', volumeTargetFields),
    allocations: createTable<Allocation>(connection, 'allocations', allocationFields),
    deployTemplates: createTable<DeployTemplate>(connection, 'deploy_templates', deployTemplateFields),
    runbooks: createTable<Runbook>(connection, 'runbooks', runbookFields),
    inspectionRules: createTable<InspectionRule>(connection, 'inspection_rules', inspectionRuleFields),
    images: createTable<Image>(connection, 'images', imageFields),
    profiles: createTable<InstanceProfile>(connection, 'profiles', profileFields),
    hardwareClasses: createTable<HardwareClass>(connection, 'hardware_classes', hardwareClassFields),
    foundBmcs: createFoundBmcsTable(connection),
    expectedMachines: createExpectedMachinesTable(connection),
    triedBmcLogins: createTriedBmcLoginsTable(connection),
    events: createEventsTable(connection),
    quarantine: createQuarantineTable(connection),
    pendingBmcPasswords: createPendingBmcPasswordsTable(connection),
    bmcLogins: createBmcLoginsTable(connection),
    siteKeys: createSiteKeysTable(connection),
    dhcpLeases: createDhcpLeasesTable(connection, 'dhcp_leases'),
    dhcp6Leases: createDhcpLeasesTable(connection, 'dhcp6_leases'),
    dhcpRivals: createDhcpRivalsTable(connection),
    bootingPorts: createBootingPortsTable(connection),
    workTimes: createWorkTimesTable(connection),
    sensorHistories: createSensorHistoriesTable(connection),
    userSessions: createUserSessionsTable(connection),
    userTokens: createUserTokensTable(connection),
  };
}
