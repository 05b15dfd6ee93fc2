// Measures how long requests take that do not involve any of forty harmful plugins: first without these plugins, then while
// they do harm. Prints a table; asserts nothing.
import { quantile, underAttack } from '../daemon/plugin-host/isolation/under-attack.ts';

const REQUESTS = 6000;
const endings: (() => unknown)[] = [];

console.log('| plugins | harms | p50 ms | p90 ms | p99 ms | longest ms |');
console.log('| ------- | ----- | ------ | ------ | ------ | ---------- |');
for (const plugins of [0, 40]) {
  const attacked = await underAttack({ after: (end) => endings.push(end) }, plugins);
  const { milliseconds, harms } = await attacked.serve(REQUESTS);
  const times = [0.5, 0.9, 0.99, 1].map((part) => quantile(milliseconds, part).toFixed(1));
  console.log(`| ${[plugins, harms, ...times].join(' | ')} |`);
  await attacked.stop();
}
for (const end of endings) await end();
process.exit();
