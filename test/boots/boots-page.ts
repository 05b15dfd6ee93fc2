// The parts of daemon/docs/boots.md that are counted: the table of boots, and the life of a machine with a long self test.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { markdownTable } from '../../daemon/docs/markdown-table.ts';
import type { Cost, CountedJourney } from './count-boots.ts';
import type { IronicsBoots } from './ironic-boots.ts';
import { wholeLife } from './journeys.ts';

const PAGE = path.join(import.meta.dirname, '../../daemon/docs/boots.md');

/** A line for each journey, in their order. */
export const bootsTable = (counted: readonly CountedJourney[]): string =>
  markdownTable(
    ['verb', 'asked for in', 'boots', 'with fast track', 'and kexec', 'for'],
    counted.map(({ journey: { verb, from, why }, own, inSession, byKexec }) => [
      verb,
      from,
      ...[own, inSession, byKexec].map(({ boots }) => String(boots)),
      why,
    ]),
  );

/** `postSeconds`: how long the self tests of the machines took. */
export function lifeTable(counted: readonly CountedJourney[], postSeconds: number): string {
  const life = counted.find(({ journey }) => journey === wholeLife);
  if (life === undefined) throw new Error('the whole life was not counted');
  const row = (name: string, { boots, seconds }: Cost) => [
    name,
    String(boots),
    `${boots * postSeconds} s`,
    `${Math.round(seconds)} s`,
  ];
  return markdownTable(
    ['from enroll to the running instance', 'boots', 'self tests', 'all'],
    [
      row('each work boots its own ramdisk', life.own),
      row('with fast track', life.inSession),
      row('with fast track and kexec', life.byKexec),
    ],
  );
}

const shown = (boots: number | null): string => (boots === null ? 'fails' : String(boots));

/** A line for each verb, and one for the way from enroll to the first instance. */
export function ironicsTable(counted: readonly IronicsBoots[]): string {
  const toInstance = counted.slice(0, 1 + counted.findIndex(({ verb }) => verb === 'active'));
  const sum = (of: (each: IronicsBoots) => number | null) =>
    toInstance.reduce((all, each) => all + (of(each) ?? 0), 0);
  const rows = counted.map(({ verb, boots, bootsInSession }) => [verb, shown(boots), shown(bootsInSession)]);
  const total = [sum(({ boots }) => boots), sum(({ bootsInSession }) => bootsInSession)].map(String);
  return markdownTable(
    ["Ironic's verbs, one after another", 'boots', 'with fast track'],
    [...rows, ['from enroll to the first instance', ...total]],
  );
}

/** Returns the part of the page between the comments with the name. */
export const pagePart = (name: string): string => splitPage(name)[1].trim();

export function replacePart(name: string, text: string): void {
  const [before, , after] = splitPage(name);
  writeFileSync(PAGE, `${before}\n\n${text}\n\n${after}`);
}

function splitPage(name: string): [before: string, part: string, after: string] {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const page = readFileSync(PAGE, 'utf8');
  const [from, to] = [page.indexOf(start) + start.length, page.indexOf(end)];
  if (to < from) throw new Error(`${PAGE} has no part between ${start} and ${end}`);
  return [page.slice(0, from), page.slice(from, to), page.slice(to)];
}
