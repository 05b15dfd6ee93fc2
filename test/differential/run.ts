// npm run differential: sends scripted requests to OpenStack's own Ironic and to the daemon, and judges what differs.
// Arguments: releases of Ironic (debian, newest), both unless given; names of scenarios, all unless given; --all to print every
// request of each kind of difference and not only three.
import process from 'node:process';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';
import { converse, type Found } from './conversation.ts';
import { IronicProcess, ourEnvironment, type Release } from './ironic-process.ts';
import { intendedDifferences, judge, requestText, type Verdict } from './judge.ts';
import { scenarios } from './scenarios/all-scenarios.ts';

const EXAMPLES = 3;
const releases: readonly Release[] = ['debian', 'newest'];

/** Plays the named scenarios, or all if none is named, against one release of Ironic and returns the differences. */
async function played(release: Release, names: readonly string[]): Promise<readonly Found[]> {
  await using theirs = await IronicProcess.start(release);
  await using ours = await DaemonProcess.start(ourEnvironment());
  const { headers } = await fetch(`${theirs.url}/v1`);
  const maximum = Number(headers.get('x-openstack-ironic-api-maximum-version')?.split('.')[1]);
  const { conversation, found, requests } = converse(theirs.url, ours.url, maximum);
  for (const [name, play] of Object.entries(scenarios)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const [asked, seen, started] = [requests(), found.length, performance.now()];
    await play(conversation);
    await conversation.clear();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${name}: ${requests() - asked} requests, ${found.length - seen} differences, ${seconds} s`);
  }
  console.log(`${requests()} requests at up to 1.${maximum} (${release})`);
  return found;
}

const text = (value: unknown): string => JSON.stringify(value).slice(0, 160);

/**
 * Prints each kind of unintended difference once with at most `examples` of its requests, then the intended differences that no
 * longer occur, then the totals.
 */
function report({ unintended, stale, occurred }: Verdict, examples: number): void {
  const alike = Map.groupBy(
    unintended,
    ({ method, path, aspect, theirs, ours }) =>
      `${method} ${path.replaceAll(/00000000-[0-9a-f-]+/g, '{uuid}')}: ${aspect}: theirs ${text(theirs)}, ours ${text(ours)}`,
  );
  for (const [title, group] of alike) {
    console.log(`\n${title} (${group.length})`);
    for (const each of group.slice(0, examples))
      console.log(`    at ${each.version}: ${requestText(each).slice(0, 200)}`);
  }
  for (const each of stale)
    console.log(`\nNo longer occurs: ${each.reason} (${each.request} ${each.aspect ?? 'status'})`);
  const meant = [...occurred.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `\n${unintended.length} unintended differences of ${alike.size} kinds; ${meant} intended ones for ${occurred.size} reasons, of which ${stale.length} no longer occur.`,
  );
}

async function main(given: readonly string[]): Promise<number> {
  const words = given.filter((word) => word !== '--all');
  const examples = words.length === given.length ? EXAMPLES : Infinity;
  const known = Object.keys(scenarios);
  const names = words.filter((word) => known.includes(word));
  const unknown = words.filter((word) => !names.includes(word) && !releases.some((one) => one === word));
  if (unknown.length > 0) {
    console.error(`Unknown: ${unknown.join(' ')}. Expected ${[...releases, ...known].join(', ')}.`);
    return 2;
  }
  const chosen = releases.filter((one) => words.includes(one));
  let failures = 0;
  for (const release of chosen.length > 0 ? chosen : releases) {
    const verdict = judge(await played(release, names), intendedDifferences(), release);
    // some of the scenarios cannot show every difference
    const judged = names.length > 0 ? { ...verdict, stale: [] } : verdict;
    report(judged, examples);
    failures += judged.unintended.length + judged.stale.length;
  }
  return failures === 0 ? 0 : 1;
}

// the handlers that kill both servers run at process.exit, not when a signal ends this process
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
process.exitCode = await main(process.argv.slice(2));
