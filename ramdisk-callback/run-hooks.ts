// Runs the inspection hooks on a draft and tells what they changed. Pure but for the hooks themselves.
import type { Json, JsonObject } from '../daemon/model/json.ts';
import { reasonOf } from '../daemon/model/faults.ts';
import {
  type HookConfiguration,
  InspectionError,
  type InspectionDraft,
  type InspectionHook,
  type PortDraft,
} from '#plugin-api';
import { createDraft, createWarnings, type HookInput } from './draft.ts';
import { createFitnessCheck } from './refuse-unfit.ts';
import type { Report } from './report.ts';

export interface NamedHook {
  readonly name: string;
  readonly hook: InspectionHook;
}

export type PortChange = Partial<
  Pick<PortDraft, 'pxe_enabled' | 'extra' | 'local_link_connection' | 'physical_network'>
>;

/** Plain data that one transaction can apply. */
export interface InspectionChanges {
  readonly node: { readonly properties?: JsonObject; readonly extra?: JsonObject };
  readonly addedPorts: readonly PortDraft[];
  readonly changedPorts: readonly { readonly uuid: string; readonly changes: PortChange }[];
  readonly removedPorts: readonly string[];
  /** UTF-8 of JSON, ready to be stored. */
  readonly inventory: Uint8Array<ArrayBuffer>;
  readonly pluginData: Uint8Array<ArrayBuffer>;
}

export type HookOutcome = { readonly warnings: readonly string[] } & (
  | { readonly kind: 'changed'; readonly changes: InspectionChanges }
  | { readonly kind: 'failed'; readonly reason: string }
);

export function runHooks(
  hooks: readonly NamedHook[],
  configuration: HookConfiguration,
  report: Report,
  input: HookInput,
): HookOutcome {
  const warnings = createWarnings();
  const draft = createDraft(report, input, configuration, warnings.add);
  const refuseUnfit = createFitnessCheck(draft);
  const failureOf = (name: string, run: () => unknown) => failureIn(name, run, refuseUnfit);
  const reason = preprocessAll(hooks, draft, failureOf) ?? callAll(hooks, draft, failureOf);
  return reason === undefined
    ? { kind: 'changed', changes: changesOf(draft, report, input), warnings: warnings.all() }
    : { kind: 'failed', reason, warnings: warnings.all() };
}

type FailureOf = (name: string, run: () => unknown) => string | undefined;

function preprocessAll(
  hooks: readonly NamedHook[],
  draft: InspectionDraft,
  failureOf: FailureOf,
): string | undefined {
  const failures = hooks.flatMap(({ name, hook }) => failureOf(name, () => hook.preprocess?.(draft)) ?? []);
  return failures.length === 0 ? undefined : failures.join('\n');
}

function callAll(
  hooks: readonly NamedHook[],
  draft: InspectionDraft,
  failureOf: FailureOf,
): string | undefined {
  for (const { name, hook } of hooks) {
    const failure = failureOf(name, () => hook.call?.(draft));
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function failureIn(name: string, run: () => unknown, refuseUnfit: () => void): string | undefined {
  try {
    refusePromise(run());
    refuseUnfit();
    return undefined;
  } catch (error) {
    if (error instanceof InspectionError) return `${name}: ${error.message}`;
    const kind = error instanceof Error ? error.name : typeof error;
    return `Hook ${name} failed unexpectedly (${kind}): ${reasonOf(error)}`;
  }
}

function refusePromise(result: unknown): void {
  if (!(result instanceof Promise)) return;
  result.catch(() => undefined);
  throw new InspectionError('the hook returned a promise; its work must be done when it returns');
}

const PORT_FIELDS = ['pxe_enabled', 'extra', 'local_link_connection', 'physical_network'] as const;

function changesOf(draft: InspectionDraft, report: Report, input: HookInput): InspectionChanges {
  const { properties, extra } = draft.node;
  const kept = new Set(draft.ports.map((port) => port.uuid));
  const before = new Map(input.ports.map((port) => [port.uuid, port]));
  return {
    node: {
      ...(!same(properties, input.node.properties) && { properties }),
      ...(!same(extra, input.node.extra) && { extra }),
    },
    addedPorts: draft.ports.filter((port) => port.uuid === undefined),
    changedPorts: draft.ports.flatMap((port) => changed(before.get(port.uuid), port)),
    removedPorts: input.ports.flatMap(({ uuid }) => (uuid === undefined || kept.has(uuid) ? [] : [uuid])),
    inventory: encoder.encode(JSON.stringify(report.inventory)),
    pluginData: encoder.encode(JSON.stringify(withoutLogs(draft.pluginData))),
  };
}

const encoder = new TextEncoder();

// The ramdisk's log archive is not part of what the inventory keeps
function withoutLogs(pluginData: Readonly<Record<string, Json>>): JsonObject {
  const { logs: _, ...kept } = pluginData;
  return kept;
}

function changed(before: PortDraft | undefined, after: PortDraft): { uuid: string; changes: PortChange }[] {
  if (before === undefined || after.uuid === undefined) return [];
  const entries = PORT_FIELDS.filter((name) => !same(before[name], after[name])).map((name) => [
    name,
    after[name],
  ]);
  return entries.length === 0
    ? []
    : [{ uuid: after.uuid, changes: Object.fromEntries(entries) as PortChange }];
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
