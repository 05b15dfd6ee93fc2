// The pages for browsers at /ui/: serves their files, puts each view into the frame, and shows faults as pages.
import type { Services } from '../conductor/services.ts';
import type { Answer } from '../http/answer.ts';
import type { Pages, Visit } from '../http/pages.ts';
import type { Clock } from '../lib/clock.ts';
import { Fault, fault } from '../model/faults.ts';
import { Outcomes } from './actions/perform.ts';
import { submitForm } from './actions/submit.ts';
import { fileAnswer, htmlAnswer, redirect } from './answers.ts';
import { readAssets } from './assets.ts';
import { type HealthCheck, readHealth } from './read/health.ts';
import { countProblems } from './read/machines.ts';
import { type Site, viewAt } from './site.ts';
import { layout, type View } from './views/layout.ts';
import { refusedView } from './views/requests.ts';
import { prefersHtml } from './prefers-html.ts';

const HOME = '/ui/';
/** How long the results of the Health checks are kept: the checks read files, and every page shows how many checks fail. */
const HEALTH_MILLISECONDS = 5000;
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST'];

/** `checks`: the checks of the process itself. */
export function createUi(services: Services, checks: () => readonly HealthCheck[]): Pages {
  const assets = readAssets();
  const health = forAWhile(services.clock, () => readHealth(services, checks()));
  const site: Site = { services, health, outcomes: new Outcomes() };
  const framed = (visit: Visit, view: View, status?: number) => {
    const problems = countProblems(services);
    const failing = site.health().filter(({ ok }) => ok === false).length;
    const isStill = visit.request.method === 'POST';
    const event = services.db.events.newestId();
    const frame = {
      site: services.host,
      visitor: visit.caller,
      problems,
      failing,
      isStill,
      event,
      files: assets.files,
    };
    return htmlAnswer(layout(frame, view), status);
  };
  return {
    has: (request, { pathname }) =>
      pathname === '/ui' || pathname.startsWith(HOME) || (pathname === '/' && prefersHtml(request)),
    async answer(visit) {
      const { pathname } = visit.url;
      if (!pathname.startsWith(HOME)) return redirect(HOME, 302);
      const asset = assets.byPath.get(pathname);
      if (asset !== undefined) return fileAnswer(asset);
      try {
        return await respond(site, visit, (view) => framed(visit, view));
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        return framed(visit, refusedView(error.message), error.status);
      }
    },
  };
}

/** Returns a function that calls `read` again when its last result is older than HEALTH_MILLISECONDS. */
function forAWhile<T>(clock: Pick<Clock, 'monotonic'>, read: () => T): () => T {
  let last: { readonly at: number; readonly value: T } | undefined;
  return () => {
    const at = clock.monotonic();
    if (last === undefined || at >= last.at + HEALTH_MILLISECONDS) last = { at, value: read() };
    return last.value;
  };
}

async function respond(site: Site, visit: Visit, framed: (view: View) => Promise<Answer>): Promise<Answer> {
  const { method } = visit.request;
  if (!METHODS.includes(method))
    throw fault('MethodNotAllowed', { method, path: visit.url.pathname, allowed: METHODS.join(', ') });
  const done = method === 'POST' ? await submitForm(site, visit) : await viewAt(site, visit);
  return 'content' in done ? done : framed(done);
}
