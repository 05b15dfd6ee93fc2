// npm run fuzz:boot-http [REQUESTS [SEED]]: sends requests, many of them damaged. The default, a million, takes minutes.
import { readdirSync } from 'node:fs';
import process from 'node:process';
import { type BootHttpLab, startBootHttpLab } from '../fakes/boot/boot-http.ts';
import { fuzzBootHttp, LIMITS, serveFuzzed } from './fuzz-boot-http.ts';

const PORTION = 50_000;
const [requests, seed] = [Number(process.argv[2] ?? 1_000_000), Number(process.argv[3] ?? 1)];
const openFiles = () => readdirSync('/proc/self/fd').length;
const mebibytes = () => Math.round(process.memoryUsage().rss / 2 ** 20);

async function fuzz(lab: BootHttpLab): Promise<boolean> {
  serveFuzzed(lab);
  const opened = openFiles();
  let bad = 0;
  for (let sent = 0; sent < requests; sent += PORTION) {
    const started = performance.now();
    const portion = Math.min(PORTION, requests - sent);
    const { statuses, strange } = await fuzzBootHttp(lab, portion, seed + sent);
    const failures = lab.events
      .map(({ text }) => text)
      .filter((text) => text.includes('could not be answered'));
    lab.forget();
    bad += strange.length + failures.length;
    for (const each of [...strange, ...failures]) console.log(each);
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log({ requests: sent + portion, ...statuses, bad, seconds, mebibytes: mebibytes() });
  }
  console.log({ bad, openFilesBefore: opened, openFilesAfter: openFiles() });
  return bad === 0 && openFiles() <= opened + 2;
}

await using endings = new AsyncDisposableStack();
const lab = await startBootHttpLab({ after: (stop) => endings.defer(stop) }, LIMITS);
process.exitCode = (await fuzz(lab)) ? 0 : 1;
