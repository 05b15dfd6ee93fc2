// The process in which `plugin check` runs a plugin. If the plugin ends or blocks this process, the command goes on and reports
// that.
import { realpathSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../../lib/clock.ts';
import { reasonOf } from '../../model/faults.ts';
import { type Asked, type Cargo, Peer } from '../../plugin-host/isolation/border/peer.ts';
import type { Plugin } from '../../plugin-host/manifests/manifest.ts';
import { resolvePluginApi } from '../../plugin-host/resolve-plugin-api.ts';
import { checkPlugin, type Finding } from './check-plugin.ts';
import { folderProblems } from './folder-problems.ts';
import { watchImports } from './foreign-imports.ts';

const BORDER_DESCRIPTOR = 3;
/** How long to wait for errors of work that an operation has started without awaiting it. */
const STRAYS_MILLISECONDS = 100;

/** What `plugin check` asks this process for. */
export interface CheckRequest {
  readonly folder: string;
  readonly others: readonly Plugin[];
}

async function check(
  { folder, others }: CheckRequest,
  strays: readonly string[],
): Promise<readonly Finding[]> {
  const before = timers();
  const real = realpathSync(folder);
  const outside = watchImports(real);
  const findings = await checkPlugin(folder, others, (subject) => peer.tell({ begins: subject }));
  await setTimeout(STRAYS_MILLISECONDS);
  const left = timers() - before;
  const kept = left > 0 ? [`it leaves ${left} timers running, as setInterval at the top of a file does`] : [];
  return [
    ...findings,
    { subject: 'files of the folder', problems: folderProblems(real) },
    { subject: 'nothing outside of the folder is imported', problems: outside },
    { subject: 'nothing fails outside of an operation', problems: strays },
    { subject: 'nothing is left running', problems: kept },
  ];
}

const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

async function answer({ value }: Asked): Promise<Cargo> {
  if ('ping' in value) return { value: null };
  try {
    return { value: await check(value as unknown as CheckRequest, strays) };
  } catch (error) {
    return { value: [{ subject: 'plugin.json', problems: [reasonOf(error)] }] };
  }
}

resolvePluginApi();
const strays: string[] = [];
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error: unknown) => strays.push(reasonOf(error)));
const peer = new Peer(new Socket({ fd: BORDER_DESCRIPTOR }), {
  clock: systemClock,
  is: 'plugin',
  answer,
  lost: () => process.exit(),
});
