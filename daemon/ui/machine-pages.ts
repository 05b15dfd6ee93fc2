// Reads what the view Machines shows, and what the palette finds.
import type { Services } from '../conductor/services.ts';
import type { Answer } from '../http/answer.ts';
import type { Visit } from '../http/pages.ts';
import { includesRole } from '../http/login/route-access.ts';
import { jsonAnswer } from './answers.ts';
import { countStopped } from './read/inbox.ts';
import { machineQuery, selectRows } from './read/machine-query.ts';
import { readMachineRows } from './read/machine-rows.ts';
import { searchNodes } from './read/machines.ts';
import { readPalette } from './read/palette.ts';
import type { PageView } from './views/layout.ts';
import { machinesView } from './views/machines/machines.ts';

export function machinesPage(services: Services, { url: { searchParams } }: Visit): PageView {
  const query = machineQuery(searchParams);
  const all = readMachineRows(services);
  const found = query.q === '' ? undefined : searchNodes(services, query.q);
  const selected = selectRows(all, query, found);
  const changed = searchParams.getAll('changed');
  return {
    title: 'Machines',
    at: '/ui/',
    query: query.q,
    follows: 'rows',
    modules: ['machines.js'],
    body: machinesView({
      all,
      selected,
      query,
      changed: changed.length === 0 ? undefined : new Set(changed),
      stopped: countStopped(services),
      now: services.clock.now(),
    }),
  };
}

const LONGEST_TEXT = 100;
const MOST_NODES = 100;

/** `q`: what the visitor typed; `node`: the machines that are chosen or shown. */
export const paletteAnswer = (services: Services, { url: { searchParams }, caller }: Visit): Answer =>
  jsonAnswer(
    readPalette(services, {
      text: (searchParams.get('q') ?? '').trim().slice(0, LONGEST_TEXT),
      nodes: searchParams.getAll('node').slice(0, MOST_NODES),
      acts: includesRole(caller.role, 'operator'),
    }),
  );
