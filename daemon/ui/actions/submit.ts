// Handles submitted forms. Before an action that loses something, the visitor is asked to confirm it. Afterwards, the browser is
// sent to a page that shows the outcome.
import type { Answer } from '../../http/answer.ts';
import type { Visit } from '../../http/pages.ts';
import { fault } from '../../model/faults.ts';
import { redirect } from '../answers.ts';
import { readNames } from '../read/machines.ts';
import type { Site } from '../site.ts';
import type { View } from '../views/layout.ts';
import { plural } from '../views/markup.ts';
import { type Question, questionView } from '../views/requests.ts';
import { type Action, actionOf } from './actions.ts';
import { enrol, ignore } from './enrol.ts';
import { perform } from './perform.ts';
import { sendOne } from './send-one.ts';

/** The most nodes in one form. */
const MOST_NODES = 1000;
/** The question before an action lists the planned steps of at most this many nodes. */
const MOST_PLANS = 5;

type Submit = (site: Site, visit: Visit, form: URLSearchParams) => Promise<View | Answer>;

const FORMS: Readonly<Record<string, Submit>> = {
  '/ui/actions': act,
  '/ui/indicators': setIndicator,
  '/ui/inbox/enrol': enrol,
  '/ui/inbox/ignore': ignore,
};

export async function submitForm(site: Site, visit: Visit): Promise<View | Answer> {
  const { pathname } = visit.url;
  refuseUnknownPage(visit.request);
  const submit = Object.hasOwn(FORMS, pathname) ? FORMS[pathname] : undefined;
  if (submit === undefined) throw fault('NotFound', {});
  return submit(site, visit, await visit.form());
}

async function act(site: Site, visit: Visit, form: URLSearchParams): Promise<View | Answer> {
  const wanted = wantedIn(form);
  const question = await questionBefore(site, visit, wanted);
  if (question !== undefined) return { title: wanted.action.label, body: questionView(question) };
  const results = await perform(visit, wanted.action, wanted.nodes);
  const [only] = results;
  if (results.length === 1 && only?.refusal === null)
    return redirect(`/ui/nodes/${encodeURIComponent(only.node)}`, 303);
  const { user } = visit.caller;
  const id = site.outcomes.add({ action: wanted.action.label, user, results });
  return redirect(`/ui/results/${id}`, 303);
}

async function setIndicator(_: Site, visit: Visit, form: URLSearchParams): Promise<View | Answer> {
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
  readonly action: Action;
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
  if (nodes.length === 0 || nodes.length > MOST_NODES)
    throw fault('InvalidParameter', {
      name: 'node',
      reason: `go back and choose 1 to ${MOST_NODES} machines`,
    });
  return { name, action, nodes, typed: form.get('confirm') };
}

/** Resolves with undefined when nothing would be lost, or when the visitor has confirmed the action; else with the question. */
async function questionBefore(
  { services }: Site,
  visit: Visit,
  { name, action, nodes, typed }: Wanted,
): Promise<Question | undefined> {
  if (action.loses === undefined) return undefined;
  const names = readNames(services);
  const labels = nodes.map((uuid) => names.get(uuid) ?? uuid);
  const word = nodes.length === 1 ? (labels[0] ?? '') : plural(nodes.length, 'machine');
  if (typed === word) return undefined;
  const plans = await Promise.all(nodes.slice(0, MOST_PLANS).map((node) => planOf(visit, action, node)));
  const asked = nodes.map((uuid, at) => ({ uuid, label: labels[at] ?? uuid, plan: plans[at] ?? [] }));
  return { name, action, nodes: asked, word, isWrong: typed !== null };
}

/**
 * Refuses a form that does not come from a page of this host. Browsers that do not send the header Sec-Fetch-Site send Origin, and
 * the API has already refused foreign origins.
 */
function refuseUnknownPage({ headers }: Request): void {
  const isOwn = headers.get('sec-fetch-site') === 'same-origin';
  if (!isOwn && (headers.has('sec-fetch-site') || !headers.has('origin'))) throw fault('ForeignForm', {});
}

async function planOf({ call }: Visit, { verb }: Action, node: string): Promise<readonly string[]> {
  if (verb === undefined) return [];
  const path = `/v1/nodes/${encodeURIComponent(node)}/steps/plan`;
  const response = await call({ method: 'POST', path, body: { target: verb } });
  if (!response.ok) return [];
  const { steps } = (await response.json()) as { readonly steps: readonly Step[] };
  return steps.map(
    ({ interface: of, step, destroys }) =>
      `${of}.${step}${destroys === null ? '' : `: destroys ${destroys}`}`,
  );
}

interface Step {
  readonly interface: string;
  readonly step: string;
  readonly destroys: string | null;
}
