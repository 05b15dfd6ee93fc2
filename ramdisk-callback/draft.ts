// What inspection hooks work on, made of a report and of what is known of the node.
import { isJsonObject, type Json, type JsonObject } from '../daemon/model/json.ts';
import type { HookConfiguration, InspectionDraft, NodeDraft, PortDraft } from '#plugin-api';
import type { Report } from './report.ts';

export interface HookInput {
  readonly node: Omit<NodeDraft, 'properties' | 'extra'> & {
    readonly properties: JsonObject;
    readonly extra: JsonObject;
  };
  readonly ports: readonly PortDraft[];
  /** JSON text; undefined before the first successful inspection. */
  readonly previousInventory: string | undefined;
}

export interface Warnings {
  readonly add: (message: string) => void;
  readonly all: () => readonly string[];
}

const MAX_WARNINGS = 100;
const MAX_WARNING_LENGTH = 1000;

/** Keeps the first hundred and counts the rest: what hooks warn of, a ramdisk decides. */
export function createWarnings(): Warnings {
  const kept: string[] = [];
  let more = 0;
  return {
    add(message) {
      if (kept.length < MAX_WARNINGS) kept.push(message.slice(0, MAX_WARNING_LENGTH));
      else more += 1;
    },
    all: () => (more === 0 ? kept : [...kept, `${more} more warnings`]),
  };
}

export function createDraft(
  { inventory, pluginData }: Report,
  { node, ports, previousInventory }: HookInput,
  configuration: HookConfiguration,
  warn: InspectionDraft['warn'],
): InspectionDraft {
  let previous: JsonObject | undefined;
  return {
    inventory: deepFreeze(inventory),
    // few hooks look at it
    get previousInventory() {
      if (previousInventory === undefined) return undefined;
      return (previous ??= parsedInventory(previousInventory));
    },
    pluginData: { ...deepFreeze(pluginData) },
    node: { ...node, properties: { ...node.properties }, extra: { ...node.extra } },
    ports: ports.map((port) => structuredClone(port)),
    configuration,
    warn,
  };
}

function parsedInventory(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? deepFreeze(value) : {};
}

export function deepFreeze<T extends Json>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}
