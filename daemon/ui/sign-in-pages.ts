// The pages that people need before they have signed in: the form, the way to the provider and back, and signing out.
import type { Answer } from '../http/answer.ts';
import { FLOW_SECONDS } from '../http/login/oidc/provider.ts';
import { type CookieName, cookieIn, cookieText, noCookie } from '../http/login/sessions/session-cookie.ts';
import type { SignIn, Visitor } from '../http/login/sign-in.ts';
import type { Visit } from '../http/pages.ts';
import { Fault, fault } from '../model/faults.ts';
import { htmlAnswer, redirect } from './answers.ts';
import { refuseUnknownPage } from './forms/submit.ts';
import { ownPath, SIGN_IN } from './own-path.ts';
import { type SignInForm, signInPage } from './views/people/sign-in.ts';

interface SignInSite {
  readonly signIn: SignIn;
  /** The name of the site, and the folder with the files of the pages. */
  readonly frame: Pick<SignInForm, 'site' | 'assets'>;
  /** How long a session lasts, in seconds. */
  readonly lifetime: number;
}

type Handle = (site: SignInSite, visit: Visit) => Answer | Promise<Answer>;

/** By method and path. */
const PAGES: Readonly<Record<string, Handle>> = {
  [`GET ${SIGN_IN}`]: askToSignIn,
  [`POST ${SIGN_IN}`]: signInWithPassword,
  'GET /ui/login/oidc': goToProvider,
  'GET /ui/login/callback': backFromProvider,
  'GET /ui/login/oidc/logout': signOutAtProvider,
  'POST /ui/logout': signOut,
};

const PATHS: ReadonlySet<string> = new Set(Object.keys(PAGES).map((key) => key.split(' ')[1] ?? ''));

export const isSignInPage = (pathname: string): boolean => PATHS.has(pathname);

/** Resolves with the form also for what is refused: the frame of the other pages shows what strangers must not see. */
export async function answerSignIn(site: SignInSite, visit: Visit): Promise<Answer> {
  try {
    const handle = handlerOf(visit);
    return await handle(site, visit);
  } catch (error) {
    return askAgain(site, error, { next: ownPath(null), user: '' });
  }
}

/** Throws MethodNotAllowed or ForeignForm. */
function handlerOf({ url: { pathname: path }, request }: Visit): Handle {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const handle = PAGES[`${method} ${path}`];
  const allowed = Object.keys(PAGES).flatMap((key) => (key.endsWith(` ${path}`) ? key.split(' ', 1) : []));
  if (handle === undefined) throw fault('MethodNotAllowed', { method, path, allowed: allowed.join(', ') });
  if (method === 'POST') refuseUnknownPage(request);
  return handle;
}

const isSecure = ({ origin }: Visit): boolean => origin.startsWith('https:');

const visitorOf = ({ caller: { address }, request }: Visit): Visitor => ({
  address,
  browser: request.headers.get('user-agent') ?? '',
});

function askToSignIn({ frame, signIn }: SignInSite, { url, caller }: Visit): Answer | Promise<Answer> {
  const next = ownPath(url.searchParams.get('next'));
  if (caller.session !== undefined) return redirect(next, 302);
  const isSignedOut = url.searchParams.has('out');
  return htmlAnswer(
    signInPage({
      ...frame,
      next,
      user: '',
      refusal: undefined,
      isSignedOut,
      provider: signIn.provider?.button,
    }),
  );
}

/** Shows the form again, with the reason. */
async function askAgain(
  { frame, signIn }: SignInSite,
  error: unknown,
  given: { readonly next: string; readonly user: string },
): Promise<Answer> {
  if (!(error instanceof Fault)) throw error;
  const { message: refusal, status, code } = error;
  const provider = signIn.provider?.button;
  const page = await htmlAnswer(
    signInPage({ ...frame, ...given, refusal, isSignedOut: false, provider }),
    status,
  );
  const wait = code === 'TooManyWrongPasswords' ? { 'retry-after': '60' } : {};
  return { ...page, headers: { ...page.headers, ...wait } };
}

async function signInWithPassword(site: SignInSite, visit: Visit): Promise<Answer> {
  const form = await visit.form();
  const [user = '', password = ''] = ['user', 'password'].map((name) => form.get(name) ?? '');
  const next = ownPath(form.get('next'));
  try {
    refuseOtherProtocol(visit);
    const secret = await site.signIn.withPassword({ user, password }, visitorOf(visit));
    return signedIn(site, visit, { secret, next });
  } catch (error) {
    return askAgain(site, error, { next, user });
  }
}

/** A browser does not keep the cookie that is for TLS when the page itself came without TLS. */
function refuseOtherProtocol({ request, origin }: Visit): void {
  const sender = URL.parse(request.headers.get('origin') ?? '');
  if (sender === null || sender.protocol === new URL(origin).protocol) return;
  throw fault('SignInProtocol', { origin });
}

/** Each sign-in has a session of its own: nobody can make the browser use one that was there before. */
function signedIn(
  { signIn, lifetime }: SignInSite,
  visit: Visit,
  { secret, next }: { readonly secret: string; readonly next: string },
): Answer {
  const { session } = visit.caller;
  if (session !== undefined) signIn.sessions.end(session);
  return {
    ...redirect(next, 303),
    cookies: [
      cookie(visit, 'ironic-edge-session', secret, lifetime),
      forgotten(visit, 'ironic-edge-sign-in'),
    ],
  };
}

const cookie = (visit: Visit, name: CookieName, value: string, seconds: number): string =>
  cookieText(name, value, { isSecure: isSecure(visit), seconds });

const forgotten = (visit: Visit, name: CookieName): string => noCookie(name, { isSecure: isSecure(visit) });

const providerOf = ({ provider }: SignIn) => {
  if (provider === undefined) throw fault('NotFound', {});
  return provider;
};

async function goToProvider(site: SignInSite, visit: Visit): Promise<Answer> {
  const next = ownPath(visit.url.searchParams.get('next'));
  const provider = providerOf(site.signIn);
  try {
    const { url, flow } = await provider.begin({ next, redirect: `${visit.origin}/ui/login/callback` });
    return { ...redirect(url, 302), cookies: [cookie(visit, 'ironic-edge-sign-in', flow, FLOW_SECONDS)] };
  } catch (error) {
    return askAgain(site, error, { next, user: '' });
  }
}

async function backFromProvider(site: SignInSite, visit: Visit): Promise<Answer> {
  providerOf(site.signIn);
  const flow = cookieIn(visit.request.headers, 'ironic-edge-sign-in', { isSecure: isSecure(visit) });
  const { secret, next } = await site.signIn.withProvider({ url: visit.url, flow }, visitorOf(visit));
  return signedIn(site, visit, { secret, next: ownPath(next) });
}

async function signOutAtProvider(site: SignInSite, visit: Visit): Promise<Answer> {
  const provider = providerOf(site.signIn);
  const url = await provider.signOutUrl(`${visit.origin}${SIGN_IN}`);
  return redirect(url ?? provider.issuer, 302);
}

function signOut({ signIn }: SignInSite, visit: Visit): Answer {
  const { session } = visit.caller;
  if (session !== undefined) signIn.sessions.end(session);
  return { ...redirect(`${SIGN_IN}?out=`, 303), cookies: [forgotten(visit, 'ironic-edge-session')] };
}
