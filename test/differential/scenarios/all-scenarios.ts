// All scenarios, in the order in which they are played.
import { fields, lists } from './lists.ts';
import { nodeParts } from './node-parts.ts';
import { provisioning } from './provisioning.ts';
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
  'node-parts': nodeParts,
  provisioning,
};
