// Who is at work on a machine at each moment of its life, from what its rig sees: power, console and boot device.

export const workers = ['daemon', 'firmware', 'ramdisk', 'agent', 'instance'] as const;
/**
 * Daemon: the machine is off, so nobody else is at work. Firmware: until the ramdisk's init starts, including DHCP and the download
 * of the boot files. Ramdisk: until the agent starts. Agent: until the machine is off, including the daemon's part in its
 * conversation with the agent. Instance: the machine was powered on to boot from its disk.
 */
export type Worker = (typeof workers)[number];

export interface Mark {
  /** The time on the same clock as the borders of phases. */
  readonly milliseconds: number;
  readonly worker: Worker;
}

export type Shares = Readonly<Record<Worker, number>>;

/** The seconds that each worker worked between two moments; `marks` are in order, and the machine is off before the first. */
export function sharesBetween(marks: readonly Mark[], from: number, to: number): Shares {
  const shares = { daemon: 0, firmware: 0, ramdisk: 0, agent: 0, instance: 0 };
  const all: readonly Mark[] = [{ milliseconds: Number.NEGATIVE_INFINITY, worker: 'daemon' }, ...marks];
  for (const [index, { milliseconds, worker }] of all.entries()) {
    const end = Math.min(to, all[index + 1]?.milliseconds ?? Number.POSITIVE_INFINITY);
    shares[worker] += Math.max(0, end - Math.max(from, milliseconds)) / 1000;
  }
  return shares;
}

/** How often the machine was powered on or reset between two moments. */
export const bootsBetween = (marks: readonly Mark[], from: number, to: number): number =>
  marks.filter(
    ({ milliseconds, worker }) =>
      ['firmware', 'instance'].includes(worker) && milliseconds >= from && milliseconds < to,
  ).length;

export interface PhaseRow {
  readonly phase: string;
  readonly boots: number;
  readonly seconds: number;
  readonly shares: Shares;
}

const cell = (value: number) => value.toFixed(1).padStart(9);

/** A table with a line for each phase and a line of totals. */
export function phaseTable(rows: readonly PhaseRow[]): string {
  const head = `${'phase'.padEnd(18)}${['boots', 'seconds', ...workers].map((each) => each.padStart(9)).join('')}`;
  const line = ({ phase, boots, seconds, shares }: PhaseRow) =>
    `${phase.padEnd(18)}${String(boots).padStart(9)}${[seconds, ...workers.map((each) => shares[each])].map(cell).join('')}`;
  return [head, ...[...rows, total(rows)].map(line)].join('\n');
}

function total(rows: readonly PhaseRow[]): PhaseRow {
  const sum = (of: (row: PhaseRow) => number) => rows.reduce((all, row) => all + of(row), 0);
  const shares = sharesBetween([], 0, 0);
  return {
    phase: 'all',
    boots: sum(({ boots }) => boots),
    seconds: sum(({ seconds }) => seconds),
    shares: {
      ...shares,
      ...Object.fromEntries(workers.map((each) => [each, sum((row) => row.shares[each])])),
    },
  };
}

/**
 * A table with a row for each phase that both sides have and a row of totals: the boots of both, the seconds of both and the ratio of
 * ours to theirs, then the same for the seconds in which only the daemon was at work.
 */
export function comparison(ours: readonly PhaseRow[], theirs: readonly PhaseRow[]): string {
  const theirPhases = new Map(theirs.map((row) => [row.phase, row]));
  const pairs = ours.flatMap((own) => {
    const other = theirPhases.get(own.phase);
    return other === undefined ? [] : [{ own, other }];
  });
  const all = { own: total(pairs.map(({ own }) => own)), other: total(pairs.map(({ other }) => other)) };
  const lines = [...pairs, all].map(({ own, other }) => {
    const figures = [own.seconds, other.seconds].map(cell).join('') + ratio(own.seconds, other.seconds);
    const [daemon, otherDaemon] = [own.shares.daemon, other.shares.daemon];
    const alone = [daemon, otherDaemon].map(cell).join('') + ratio(daemon, otherDaemon);
    const boots = [own, other].map((row) => String(row.boots).padStart(9)).join('');
    return `${own.phase.padEnd(18)}${boots}${figures}${alone}`;
  });
  return [
    `${''.padEnd(18)}${'boots'.padStart(18)}${'seconds: ours, Ironic, ratio'.padStart(27)}${'daemon alone: ours, Ironic'.padStart(27)}`,
    ...lines,
  ].join('\n');
}

const ratio = (own: number, other: number) => (other === 0 ? '-' : (own / other).toFixed(2)).padStart(9);
