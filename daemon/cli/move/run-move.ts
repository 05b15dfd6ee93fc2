// What `export ironic` and `import ironic` have in common: options, the run over machines, the check, the report.
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { reasonOf } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Node } from '../../model/records/node.ts';
import { type CommandContext, FLAG, OUTPUT, TEXT, WrongArguments } from '../command.ts';
import { cellText, formatted, OUTPUT_HELP, type OutputValues, textTable } from '../text-table.ts';
import { allowedDifferences } from './engine/carried-fields.ts';
import { type Difference, differences } from './engine/differences.ts';
import { readMachine, type Service } from './engine/ironic-service.ts';
import { nameOrUuid, maintenanceOf } from './engine/machine.ts';
import { Journal } from './engine/journal.ts';
import { foreseen, moveMachine, type Moving, type MoveOutcome, undoMove } from './engine/move-machines.ts';
import { planMove } from './engine/plan-move.ts';
import { offerOf } from './engine/receiver.ts';
import { copySiteRecords } from './engine/site-records.ts';
import type { MoveSource } from './engine/source.ts';
import { outcomeReport } from './outcome-report.ts';

export const moveOptions = {
  url: TEXT,
  node: { type: 'string', multiple: true },
  'dry-run': FLAG,
  finish: FLAG,
  'back-out': FLAG,
  verify: FLAG,
  journal: TEXT,
  ...OUTPUT,
  'config-file': TEXT,
} as const;

export interface MoveValues extends OutputValues {
  readonly node?: readonly string[] | undefined;
  readonly 'dry-run': boolean;
  readonly finish: boolean;
  readonly 'back-out': boolean;
  readonly verify: boolean;
}

export const OPTIONS_HELP = `  --url URL          the API of Ironic
  --node NODE        only this node (name or UUID); can be repeated
  --dry-run          only print what would be done
  --verify           compare each machine that was moved, field by field
  --finish           hand over the machines whose move has begun
  --back-out         undo the moves of machines that have not been handed over
  --journal FILE     the file that records the steps done; the default is below [DEFAULT] state_path
  --config-file FILE as for serve
${OUTPUT_HELP}`;

/**
 * Refuses a URL with a user or password: every user of this host can see the arguments of a command. User and password
 * belong in IRONIC_USERNAME and IRONIC_PASSWORD.
 */
export function urlIn(text: string | undefined): string {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (text !== undefined && isHttp && url.username === '' && url.password === '') return text;
  throw new WrongArguments(
    '--url: expected the URL of the Ironic API without user and password, such as http://192.0.2.1:6385',
  );
}

/** The path of the journal. There is one journal for each direction and each Ironic. */
export const journalFile = (statePath: string, direction: string, url: string): string =>
  path.join(statePath, 'moves', `${direction}-${encodeURIComponent(new URL(url).host)}.journal`);

type Listed = Pick<Node, 'uuid' | 'name'>;

const PAUSE_MILLISECONDS = 1000;

export interface Ends {
  readonly source: MoveSource;
  readonly receiver: Service;
  readonly journal: string;
}

/** Returns the exit code: 1 when a machine was refused, a machine or record failed, or --verify found a difference; otherwise 0. */
export async function runMove(ends: Ends, values: MoveValues, { stdout }: CommandContext): Promise<number> {
  const { source } = ends;
  refuseContradictions(values);
  const moving: Moving = {
    source,
    receiver: { ...ends.receiver, pause: () => setTimeout(PAUSE_MILLISECONDS) },
    offer: await offerOf(ends.receiver),
    journal: new Journal(ends.journal, Date.now),
  };
  const machines = await source.list(values.node ?? []);
  const started = machines.filter(({ uuid }) => moving.journal.of(uuid).before !== undefined);
  if (values.verify) return verified(moving, started, values, stdout);
  const isWhole = !values['back-out'] && !values.finish && values.node === undefined;
  const report: MoveOutcome[] = isWhole
    ? [...(await copySiteRecords(source.service, ends.receiver, values['dry-run']))]
    : [];
  for (const machine of values['back-out'] || values.finish ? started : machines)
    report.push(await outcomeFor(moving, machine, values));
  stdout.write(
    formatted(values, { machines: report }, () =>
      outcomeReport(report, `${report.length} in all`, values['dry-run']),
    ),
  );
  return report.some(({ outcome }) => outcome === 'refused' || outcome === 'failed') ? 1 : 0;
}

function refuseContradictions({ finish, verify, 'back-out': undoes, 'dry-run': isDry }: MoveValues): void {
  if ([finish, undoes, verify].filter(Boolean).length > 1)
    throw new WrongArguments('expected only one of --finish, --back-out and --verify');
  if (isDry && (undoes || verify)) throw new WrongArguments('expected --dry-run alone or with --finish');
}

async function outcomeFor(moving: Moving, machine: Listed, values: MoveValues): Promise<MoveOutcome> {
  const { uuid } = machine;
  try {
    if (values['dry-run']) return await foreseen(moving, uuid, values.finish);
    if (values['back-out']) return await undoMove(moving, uuid);
    return await moveMachine(moving, uuid, values.finish);
  } catch (error) {
    return { uuid, name: nameOrUuid(machine), outcome: 'failed', note: reasonOf(error) };
  }
}

interface Found extends JsonObject, Difference {
  readonly machine: string;
}

async function verified(
  moving: Moving,
  machines: readonly Listed[],
  output: OutputValues,
  stdout: CommandContext['stdout'],
): Promise<number> {
  const found: Found[] = [];
  for (const { uuid } of machines) found.push(...(await differencesOf(moving, uuid)));
  stdout.write(
    formatted(output, { machines: machines.length, differences: found }, () =>
      [
        ...(found.length === 0
          ? []
          : [
              textTable(
                ['machine', 'what', 'source', 'receiver'],
                found.map(({ machine, what, here, there }) => [
                  machine,
                  what,
                  cellText(here),
                  cellText(there),
                ]),
              ),
            ]),
        `${machines.length} machines, ${found.length} differences\n`,
        `Fields that are not moved, and so not compared:\n${textTable(['field', 'reason'], Object.entries(allowedDifferences))}`,
      ].join('\n'),
    ),
  );
  return found.length === 0 ? 0 : 1;
}

async function differencesOf({ source, receiver, offer, journal }: Moving, uuid: string) {
  const { done, before } = journal.of(uuid);
  const machine = await source.read(uuid);
  const original = { ...machine, node: { ...machine.node, ...before } };
  const plan = planMove(original, offer);
  const name = nameOrUuid(machine.node);
  if (plan.kind === 'refuse') return [{ machine: name, what: 'plan', here: plan.reason, there: null }];
  const there = await readMachine(receiver, uuid);
  if (there === undefined) return [{ machine: name, what: 'node', here: uuid, there: null }];
  const stage = {
    minor: receiver.minor,
    isFinished: done.has('hand over'),
    before: before ?? maintenanceOf(machine.node),
  };
  return differences(plan, there, stage).map((difference) => ({ machine: name, ...difference }));
}
