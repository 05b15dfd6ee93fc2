// The pages for browsers at /ui/: serves their files, puts each view into the frame, and shows faults as pages.
import type { Services } from '../conductor/services.ts';
import type { SignIn } from '../http/login/sign-in.ts';
import type { Answer } from '../http/answer.ts';
import type { Pages, Visit } from '../http/pages.ts';
import type { Clock } from '../lib/clock.ts';
import { Fault, fault } from '../model/faults.ts';
import { Outcomes } from './actions/perform.ts';
import { submitForm } from './forms/submit.ts';
import { fileAnswer, htmlAnswer, redirect } from './answers.ts';
import { readAssets } from './assets.ts';
import { type HealthCheck, readHealth } from './read/health.ts';
import { checksOfDoctor, type DoctorAtHand } from './read/site/examination.ts';
import { readHeadCounts } from './read/head-counts.ts';
import { answerSignIn, isSignInPage } from './sign-in-pages.ts';
import { signInPath } from './own-path.ts';
import { type UiSite, viewAt } from './site.ts';
import { layout, type PageView } from './views/layout.ts';
import { refusedView } from './views/requests.ts';
import { acceptsHtml, prefersHtml } from './prefers-html.ts';

const HOME = '/ui/';
/** How long the results of the Health checks are kept: the checks read files, and every page shows how many checks fail. */
const HEALTH_MILLISECONDS = 5000;
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST'];

export interface UiParts {
  /** The checks of the process itself. */
  readonly checks: () => readonly HealthCheck[];
  readonly doctor: DoctorAtHand;
  /** Undefined where nobody needs to sign in. */
  readonly signIn: SignIn | undefined;
}

export function createUi(services: Services, { checks, doctor, signIn }: UiParts): Pages {
  const assets = readAssets();
  const own = forAWhile(services.clock, () => readHealth(services, checks()));
  const health = () => [...own(), ...checksOfDoctor(doctor.last, own())];
  const site: UiSite = { services, health, doctor, outcomes: new Outcomes(), signIn };
  const siteName = services.config.ui.site_name ?? services.host;
  const framed = (visit: Visit, view: PageView, status?: number) => {
    const frame = {
      site: siteName,
      visitor: visit.caller,
      counts: readHeadCounts(services, site.health()),
      isStill: visit.request.method === 'POST',
      event: services.db.events.newestId(),
      assets: assets.folder,
    };
    return htmlAnswer(layout(frame, view), status);
  };
  const signInSite = (of: SignIn) => ({
    signIn: of,
    frame: { site: siteName, assets: assets.folder },
    lifetime: services.config.ui.session_lifetime,
  });
  return {
    has: (request, { pathname }) =>
      pathname === '/ui' || pathname.startsWith(HOME) || (pathname === '/' && prefersHtml(request)),
    isOpen: ({ pathname }) => signIn !== undefined && (assets.byPath.has(pathname) || isSignInPage(pathname)),
    signInAt: (request, url) =>
      signIn !== undefined && acceptsHtml(request) ? signInPath(request, url) : undefined,
    async answer(visit) {
      const { pathname } = visit.url;
      if (!pathname.startsWith(HOME)) return redirect(HOME, 302);
      const asset = assets.byPath.get(pathname);
      if (asset !== undefined) return fileAnswer(asset);
      try {
        if (signIn !== undefined && isSignInPage(pathname))
          return await answerSignIn(signInSite(signIn), visit);
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

async function respond(
  site: UiSite,
  visit: Visit,
  framed: (view: PageView) => Promise<Answer>,
): Promise<Answer> {
  const { method } = visit.request;
  if (!METHODS.includes(method))
    throw fault('MethodNotAllowed', { method, path: visit.url.pathname, allowed: METHODS.join(', ') });
  const done = method === 'POST' ? await submitForm(site, visit) : await viewAt(site, visit);
  return 'content' in done ? done : framed(done);
}
