// npm run boots: counts the firmware boots of each verb with simulated machines, and writes the tables of daemon/docs/boots.md.
// npm run boots -- --ironic: counts those that OpenStack's Ironic makes, and writes that table.
// npm run boots -- --kills N, --troubles N: lets that many things happen to machines in their lives; --seed N repeats a run.
import { parseArgs } from 'node:util';
import { collectEndings } from '../fakes/endings.ts';
import { bootsTable, ironicsTable, lifeTable, replacePart } from './boots-page.ts';
import { countBoots } from './count-boots.ts';
import { countIronicsBoots } from './ironic-boots.ts';
import { journeys } from './journeys.ts';
import { killsDuringLives } from './kills.ts';
import { seededRandom } from './random.ts';
import { troubledLives } from './troubled-lives.ts';

/** Servers take this long, or longer. */
const POST_SECONDS = 120;

const { values } = parseArgs({
  options: {
    ironic: { type: 'boolean', default: false },
    kills: { type: 'string' },
    troubles: { type: 'string' },
    seed: { type: 'string' },
  },
});
const { ironic, kills, troubles } = values;
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const endings = collectEndings();
try {
  if (kills !== undefined) console.log(seed, await killsDuringLives(Number(kills), seededRandom(seed)));
  if (troubles !== undefined)
    console.log(seed, await troubledLives(endings, Number(troubles), seededRandom(seed)));
  if (ironic) write('ironic', ironicsTable(await countIronicsBoots()));
  if (kills === undefined && troubles === undefined && !ironic) {
    const counted = await countBoots(endings, journeys, POST_SECONDS);
    write('boots', bootsTable(counted));
    write('life', lifeTable(counted, POST_SECONDS));
  }
} finally {
  await endings.end();
}

function write(part: string, table: string): void {
  console.log(`${table}\n`);
  replacePart(part, table);
}
