// All scenarios, in the order in which they are played.
import { fields, lists } from './lists.ts';
import { allocating } from './allocating.ts';
import { attachments } from './attachments.ts';
import { nodeParts } from './node-parts.ts';
import { phases } from './phases.ts';
import { portgroupNetworks } from './portgroup-networks.ts';
import { provisioning } from './provisioning.ts';
import { ramdisk } from './ramdisk.ts';
import { reading } from './reading.ts';
import { resourceScenarios } from './resources.ts';
import { paths, versions } from './versions.ts';
import type { Scenario } from './scenario.ts';

export const scenarios: Readonly<Record<string, Scenario>> = {
  versions,
  paths,
  reading,
  lists,
  fields,
  ...resourceScenarios,
  'portgroup-networks': portgroupNetworks,
  'node-parts': nodeParts,
  attachments,
  provisioning,
  allocating,
  ramdisk,
  ...phases,
};
