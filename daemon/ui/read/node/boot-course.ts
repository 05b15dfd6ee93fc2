// The last boot of a machine as stages on a line of time: what was seen of it, and when each stage usually begins.
import type { Hop, MachineEvent } from '../../../model/records/machine-event.ts';
import type { MissingHop } from '../missing-hop.ts';

export interface CourseStage {
  /** What the machine does: `firmware`, `DHCP`, `loader`, `kernel`, `agent`, or a step such as `deploy.write_image`. */
  readonly name: string;
  /** Seconds after power-on. */
  readonly from: number;
  readonly to: number;
  /** `running`: it has not ended; `failed`: an event says so. */
  readonly state: 'ended' | 'running' | 'failed';
}

export interface BootCourse {
  /** When the daemon asked for power or a reset; ISO 8601 in UTC. */
  readonly since: string;
  readonly stages: readonly CourseStage[];
  /** The stages as they usually are, as far as that is known. */
  readonly usual: readonly CourseStage[];
  /** The hop that is due next, or late. */
  readonly missing: MissingHop | undefined;
  /** The seconds of the line: from power-on to the end of what was seen or is usual. */
  readonly seconds: number;
  /** Whether the boot has ended, and nothing of the network or the agent was seen in it. */
  readonly isFromDisk: boolean;
  /** How many seconds after power-on the last hop was seen, and usually is; undefined if the latter is not known. */
  readonly reached: { readonly now: number; readonly usual: number } | undefined;
}

interface Mark {
  readonly name: string;
  readonly at: number;
  readonly failed: boolean;
}

/** What the machine does after it was first seen at a hop, until the next one, in the order in which these follow each other. */
const NAMES: Readonly<Partial<Record<Hop, string>>> = {
  dhcp: 'DHCP',
  proxydhcp: 'DHCP',
  tftp: 'loader',
  http: 'kernel',
  lookup: 'agent starts',
  inspection: 'agent',
  heartbeat: 'agent',
};
const ORDER: readonly string[] = ['power', 'firmware', ...new Set(Object.values(NAMES))];
/** More than fit into a line; the earliest are left out. */
const MOST_STAGES = 40;
/** The stages of every boot, also of one from the disk. */
const BLIND: ReadonlySet<string> = new Set(['power', 'firmware']);

interface Seen {
  readonly boot: readonly MachineEvent[];
  /** How many seconds after power-on each hop is usually first seen. */
  readonly usual: ReadonlyMap<Hop, number>;
  readonly missing: MissingHop | undefined;
  readonly until: BootEnd;
}

/** How many seconds after power-on the boot ends: now if it still goes on, or when the work failed; undefined if it has ended. */
export type BootEnd = { readonly seconds: number; readonly state: 'running' | 'failed' } | undefined;

/** Returns undefined unless the boot begins with power or a reset, and something was seen after it. */
export function bootCourse({ boot, usual, missing, until }: Seen): BootCourse | undefined {
  const [start] = boot;
  if (start?.hop !== 'power') return undefined;
  const marks = marksOf(boot);
  const end = Math.max(until?.seconds ?? 0, ...marks.map(({ at }) => at));
  if (end === 0) return undefined;
  const stages = stagesOf(marks, end, until?.state).slice(-MOST_STAGES);
  const isFromDisk = until === undefined && marks.every(({ name }) => BLIND.has(name));
  const usually = isFromDisk ? [] : usualStages(usual);
  return {
    since: start.at,
    stages,
    usual: usually,
    missing,
    isFromDisk,
    seconds: Math.max(end, ...usually.map(({ to }) => to)),
    reached: reachedBy(boot, marks, usual),
  };
}

/** Compares the last hop that was seen, of those whose usual time is known. */
function reachedBy(
  boot: readonly MachineEvent[],
  marks: readonly Mark[],
  usual: Seen['usual'],
): BootCourse['reached'] {
  const last = boot.findLast(({ hop, failed }) => !failed && usual.has(hop))?.hop;
  const mark = last && marks.find(({ name }) => name === NAMES[last]);
  return mark === undefined || last === undefined ? undefined : { now: mark.at, usual: usual.get(last) ?? 0 };
}

function marksOf(boot: readonly MachineEvent[]): readonly Mark[] {
  const begun = Date.parse(boot[0]?.at ?? '');
  const marks: Mark[] = [];
  for (const event of boot) {
    const name = nameAfter(event);
    const before = marks.at(-1)?.name;
    if (name === undefined || name === before) continue;
    if (event.hop !== 'agent' && rankOf(name) < rankOf(before)) continue;
    marks.push({ name, at: Math.max(0, (Date.parse(event.at) - begun) / 1000), failed: event.failed });
  }
  return marks;
}

/** A stage is not entered again after a later one: a ramdisk asks for an address too, and an agent that works sends heartbeats. */
function rankOf(name: string | undefined): number {
  if (name === undefined) return -1;
  const rank = ORDER.indexOf(name);
  return rank < 0 ? ORDER.length : rank;
}

const STEP = /^its agent (began|ended|did not end) (?:\w+ step )?([\w.]+)/;
const OFF = 'off';

/** Returns what the machine does from this event on; undefined if the event says nothing of that. */
function nameAfter({ hop, text, failed }: MachineEvent): string | undefined {
  if (hop === 'agent') {
    const [, verb, step] = STEP.exec(text) ?? [];
    return verb === 'began' ? step : 'agent';
  }
  return hop === 'power' && !failed ? nameAfterPower(text) : NAMES[hop];
}

function nameAfterPower(text: string): string {
  if (text.includes('off')) return OFF;
  return text.startsWith('power changed') ? 'firmware' : 'power';
}

/** `last`: how the last stage is. */
function stagesOf(
  marks: readonly Mark[],
  end: number,
  last: CourseStage['state'] = 'ended',
): readonly CourseStage[] {
  const stages = marks.map(({ name, at, failed }, index): CourseStage => {
    const next = marks[index + 1];
    const hasFailed = failed || next?.failed === true;
    const state = hasFailed ? 'failed' : next === undefined || next.name === OFF ? last : 'ended';
    return { name, from: at, to: next?.at ?? end, state };
  });
  return stages.filter(({ name, from, to, state }) => name !== OFF && (to > from || state === 'running'));
}

/** The last one has a short end, as nothing tells how long it usually is. */
function usualStages(usual: ReadonlyMap<Hop, number>): readonly CourseStage[] {
  const begins = new Map<string, number>();
  for (const [hop, at] of usual) {
    const name = NAMES[hop];
    if (name !== undefined) begins.set(name, Math.min(at, begins.get(name) ?? at));
  }
  if (begins.size === 0) return [];
  const sorted = [...begins].toSorted(([, a], [, b]) => a - b);
  const marks = [['firmware', 0] as const, ...sorted];
  return marks.map(([name, from], index) => {
    const to = marks[index + 1]?.[1] ?? from * 1.05 + 1;
    return { name, from, to, state: 'ended' as const };
  });
}
