// Runs the picked cases one after another, as process 1 of the namespaces that run.ts makes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from './case.ts';
import { cases, rivalCases } from './cases.ts';
import { phasesOf, timelineText } from './phases.ts';
import { createNetwork } from './rig/network.ts';
import { createSite, type Images, type Site } from './site.ts';
import { comparison, phaseTable, type PhaseRow } from './who-works.ts';

interface Request {
  readonly picked: readonly string[];
  readonly images: Images;
  /** Where consoles and timelines are kept. */
  readonly folder: string;
}

async function main({ picked, images, folder }: Request): Promise<number> {
  createNetwork();
  let number = 0;
  let failed = 0;
  const lives = new Map<string, readonly PhaseRow[]>();
  for (const each of [...cases, ...rivalCases].filter(({ name }) => picked.includes(name))) {
    await using site = createSite(images, join(folder, each.name), () => ++number);
    if (!(await passes(each, site))) failed += 1;
    else if (site.rows.length > 0) lives.set(each.name, site.rows);
  }
  printLives(lives);
  const wrong = `${failed} of ${picked.length} not as expected; consoles are in ${folder}`;
  console.log(failed === 0 ? `${picked.length} as expected` : wrong);
  return failed === 0 ? 0 : 1;
}

/**
 * Prints for each life who was at work in which phase (see who-works.ts) and, if the same life also ran under Ironic, how the times
 * compare.
 */
function printLives(lives: ReadonlyMap<string, readonly PhaseRow[]>): void {
  for (const [name, rows] of lives) console.log(`\n${name}: who is at work, in seconds\n${phaseTable(rows)}`);
  for (const [name, rows] of lives) {
    const rival = lives.get(`ironic-${name}`);
    if (rival !== undefined) console.log(`\n${name} beside Ironic\n${comparison(rows, rival)}`);
  }
  console.log();
}

async function passes(each: Case, site: Site): Promise<boolean> {
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  try {
    const events = await each.run(site);
    writeFileSync(join(site.folder, 'timeline.txt'), timelineText(events));
    const phases = events.length === 0 ? '' : ` (${phasesOf(events)})`;
    console.log(`ok      ${each.name}: ${seconds()}${phases}`);
    return true;
  } catch (error) {
    console.log(
      `FAILED  ${each.name}: ${seconds()}: ${error instanceof Error ? error.stack : String(error)}`,
    );
    for (const words of site.lastWords()) console.log(words.replaceAll(/^/gm, '    | '));
    return false;
  }
}

// the kernel ignores signals to process 1 for which that process has no handler
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.exit(await main(JSON.parse(process.argv[2] ?? '') as Request));
