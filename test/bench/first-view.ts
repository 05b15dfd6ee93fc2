// Prints what the first visit of each view costs a browser: bytes beside the limit, first paint, long tasks, shifts of the layout:
// daemon/cli/node test/bench/first-view.ts [MACHINES [VIEW,...]]
import { startBrowser, withoutBrowser } from '../fakes/clients/browser.ts';
import { collectEndings } from '../fakes/endings.ts';
import { startMadeUpSite } from '../pictures/made-up-site.ts';
import { type Measured, measure, measured, MOST_BYTES, shiftsOf } from '../pictures/measured-view.ts';
import { openView } from '../pictures/open-view.ts';
import { shownViews } from '../pictures/shown-views.ts';

const ROUNDS = 5;
const machines = Number(process.argv[2] ?? 300);
const chosen = process.argv[3]?.split(',') ?? ['machines', 'network', 'work', 'events', 'health', 'setup'];
const endings = collectEndings();

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

try {
  if (withoutBrowser !== false) throw new Error(withoutBrowser);
  const site = await startMadeUpSite(endings, machines);
  const browser = await startBrowser(endings);
  console.log(`${machines} machines; the limit is ${MOST_BYTES / 1000} kB; medians of ${ROUNDS} visits`);
  for (const view of shownViews.filter(({ name }) => chosen.includes(name))) {
    const rounds: (Measured & { readonly shifts: number })[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const context = await browser.newContext();
      const page = await openView(context, site, view, measure);
      const shifts = (await shiftsOf(page)).reduce((sum, { value }) => sum + value, 0);
      rounds.push({ ...(await measured(page)), shifts });
      await context.close();
    }
    const of = (name: 'bytes' | 'firstPaint' | 'longTasks' | 'shifts') =>
      median(rounds.map((round) => round[name]));
    console.log(
      view.name.padEnd(20),
      `${(of('bytes') / 1000).toFixed(0).padStart(5)} kB, ${(of('bytes') / MOST_BYTES).toFixed(2)} of the limit;`,
      `first paint ${of('firstPaint').toFixed(0)} ms, long tasks ${of('longTasks').toFixed(0)} ms, shifts ${of('shifts').toFixed(3)}`,
    );
  }
} finally {
  await endings.end();
}
