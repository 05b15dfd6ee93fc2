// Handles submitted forms. Before an action that loses something, the visitor is asked to confirm it. Afterwards, the browser is
// sent to a page that shows the outcome.
import type { Answer } from '../../http/answer.ts';
import type { Visit } from '../../http/pages.ts';
import { fault } from '../../model/faults.ts';
import { redirect } from '../answers.ts';
import { readNames } from '../read/machines.ts';
import type { UiSite } from '../site.ts';
import type { PageView } from '../views/layout.ts';
import { plural } from '../kit/markup.ts';
import { type ShownPlan, type Confirmation, questionView } from '../views/requests.ts';
import { type UiAction, actionOf } from '../actions/actions.ts';
import { addByBmc } from './add-bmc.ts';
import { addMany } from './add-many.ts';
import { deployPlace, submitDeployment } from './deploy.ts';
import { enrol, ignore } from './enrol.ts';
import { examineNow, reloadPlugin } from './health.ts';
import { acceptFound, continueFound } from './found-bmcs.ts';
import { addImage, changeImage } from './images.ts';
import { endSession, makeToken, revokeToken } from './people.ts';
import { perform, refusalText } from '../actions/perform.ts';
import { sendOne } from './send-one.ts';
import { saveSettings } from './settings.ts';

/** The most nodes in one form. */
const MOST_NODES = 1000;
/** The question before an action lists the planned steps of at most this many nodes. */
const MOST_PLANS = 5;

const NO_PLAN: ShownPlan = { steps: [], problems: [] };

type Submit = (site: UiSite, visit: Visit, form: URLSearchParams) => Promise<PageView | Answer>;

const FORMS: Readonly<Record<string, Submit>> = {
  '/ui/actions': act,
  '/ui/indicators': setIndicator,
  '/ui/deploy': submitDeployment,
  '/ui/images': changeImage,
  '/ui/images/add': addImage,
  '/ui/settings': saveSettings,
  '/ui/add': addByBmc,
  '/ui/add/many': addMany,
  '/ui/add/unknown': enrol,
  '/ui/add/unknown/ignore': ignore,
  '/ui/add/found/accept': acceptFound,
  '/ui/add/found/continue': continueFound,
  '/ui/health/examine': examineNow,
  '/ui/health/reload-plugin': reloadPlugin,
  '/ui/users/tokens': makeToken,
  '/ui/users/tokens/revoke': revokeToken,
  '/ui/sessions/end': endSession,
};

export async function submitForm(site: UiSite, visit: Visit): Promise<PageView | Answer> {
  const { pathname } = visit.url;
  refuseUnknownPage(visit.request);
  const submit = Object.hasOwn(FORMS, pathname) ? FORMS[pathname] : undefined;
  if (submit === undefined) throw fault('NotFound', {});
  return submit(site, visit, await visit.form());
}

async function act(site: UiSite, visit: Visit, form: URLSearchParams): Promise<PageView | Answer> {
  const wanted = wantedIn(form);
  if (wanted.nodes.length === 0) return backToRack(visit.url, wanted.name);
  const { form: page, verb } = wanted.action;
  if (page !== undefined) return redirect(deployPlace(wanted.nodes, verb), 303);
  const question = await questionBefore(site, visit, wanted);
  if (question !== undefined) return { title: wanted.action.label, body: questionView(question) };
  const results = await perform(visit, wanted.action.request, wanted.nodes);
  const [only] = results;
  if (results.length === 1 && only?.refusal === null)
    return redirect(`/ui/nodes/${encodeURIComponent(only.node)}${wanted.action.tab ?? ''}`, 303);
  const { user } = visit.caller;
  const id = site.outcomes.add({ action: wanted.action.label, verb, user, results });
  return redirect(`/ui/results/${id}`, 303);
}

/** Sends the browser back to the view Rack, which keeps its filter and the chosen action and asks for a machine. */
function backToRack({ search }: URL, action: string): Answer {
  const query = new URLSearchParams(search);
  query.set('action', action);
  return redirect(`/ui/?${query.toString()}`, 303);
}

async function setIndicator(_: UiSite, visit: Visit, form: URLSearchParams): Promise<PageView | Answer> {
  const [node = '', indicator = '', state = ''] = ['node', 'indicator', 'state'].map(
    (name) => form.get(name) ?? '',
  );
  const place = encodeURIComponent(node);
  return sendOne(visit, {
    request: {
      method: 'PUT',
      path: `/v1/nodes/${place}/management/indicators/${encodeURIComponent(indicator)}`,
      body: { state },
    },
    next: `/ui/nodes/${place}/indicators`,
  });
}

interface Wanted {
  readonly name: string;
  readonly action: UiAction;
  readonly nodes: readonly string[];
  /** What the visitor typed to confirm; null before the visitor was asked. */
  readonly typed: string | null;
}

function wantedIn(form: URLSearchParams): Wanted {
  const name = form.get('action') ?? '';
  const action = actionOf(name);
  if (action === undefined)
    throw fault('InvalidParameter', { name: 'action', reason: 'go back and choose an action of the list' });
  const nodes = [...new Set(form.getAll('node'))];
  if (nodes.length > MOST_NODES)
    throw fault('InvalidParameter', {
      name: 'node',
      reason: `${nodes.length} machines are chosen; go back and choose at most ${MOST_NODES}`,
    });
  return { name, action, nodes, typed: form.get('confirm') };
}

/** Resolves with undefined when nothing would be lost, or when the visitor has confirmed the action; else with the question. */
async function questionBefore(
  { services }: UiSite,
  visit: Visit,
  { name, action, nodes, typed }: Wanted,
): Promise<Confirmation | undefined> {
  if (action.loses === undefined) return undefined;
  const names = readNames(services);
  const labels = nodes.map((uuid) => names.get(uuid) ?? uuid);
  const word = nodes.length === 1 ? (labels[0] ?? '') : plural(nodes.length, 'machine');
  if (typed === word) return undefined;
  const plans = await Promise.all(nodes.slice(0, MOST_PLANS).map((node) => planOf(visit, action, node)));
  const asked = nodes.map((uuid, at) => ({ uuid, label: labels[at] ?? uuid, plan: plans[at] ?? NO_PLAN }));
  return { name, action, nodes: asked, word, isWrong: typed !== null };
}

/**
 * Refuses a form that does not come from a page of this host. Browsers that do not send the header Sec-Fetch-Site send Origin, and
 * the API has already refused foreign origins.
 */
export function refuseUnknownPage({ headers }: Request): void {
  const isOwn = headers.get('sec-fetch-site') === 'same-origin';
  if (!isOwn && (headers.has('sec-fetch-site') || !headers.has('origin'))) throw fault('ForeignForm', {});
}

async function planOf({ call }: Visit, { verb, given }: UiAction, node: string): Promise<ShownPlan> {
  if (verb === undefined) return NO_PLAN;
  const path = `/v1/nodes/${encodeURIComponent(node)}/steps/plan`;
  const response = await call({ method: 'POST', path, body: { target: verb, ...given } });
  if (!response.ok) return { steps: [], problems: [await refusalText(response)] };
  const { steps, problems } = (await response.json()) as StepPlan;
  return {
    problems,
    steps: steps.map(
      ({ interface: of, step, destroys }) =>
        `${of}.${step}${destroys === null ? '' : `: destroys ${destroys}`}`,
    ),
  };
}

/** The part of the API's plan that the question shows. */
interface StepPlan {
  readonly steps: readonly Step[];
  readonly problems: readonly string[];
}

interface Step {
  readonly interface: string;
  readonly step: string;
  readonly destroys: string | null;
}
