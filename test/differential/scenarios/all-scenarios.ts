// All scenarios, in the order in which they are played.
import { fields, lists } from './lists.ts';
import { reading } from './reading.ts';
import { creating, patching } from './resources.ts';
import { paths, versions } from './versions.ts';
import type { Scenario } from './scenario.ts';

export const scenarios: Readonly<Record<string, Scenario>> = {
  versions,
  paths,
  reading,
  lists,
  fields,
  creating,
  patching,
};
