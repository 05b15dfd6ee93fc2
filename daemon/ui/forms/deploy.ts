// Handles the form Deploy: shows the plan of what was typed, or sends the requests once the visitor has confirmed them.
import type { Answer } from '../../http/answer.ts';
import type { Visit } from '../../http/pages.ts';
import type { ProvisionVerb } from '../../model/states/verbs.ts';
import { deployBody } from '../actions/deploy/deploy-fields.ts';
import { perform } from '../actions/perform.ts';
import { redirect } from '../answers.ts';
import { readDeployment } from '../read/deploy/deployment.ts';
import type { UiSite } from '../site.ts';
import { deployPage } from '../views/deploy/deploy.ts';
import type { PageView } from '../views/layout.ts';

/** The address of the form for the nodes. */
export function deployPlace(nodes: readonly string[], verb: ProvisionVerb | undefined): string {
  const query = new URLSearchParams(nodes.map((node): [string, string] => ['node', node]));
  if (verb !== undefined) query.set('verb', verb);
  return `/ui/deploy?${query.toString()}`;
}

export async function submitDeployment(
  { services, outcomes }: UiSite,
  visit: Visit,
  form: URLSearchParams,
): Promise<PageView | Answer> {
  const shown = await readDeployment(services, visit, form);
  if (form.get('do') !== 'deploy' || shown.plans === undefined) return deployPage(shown);
  if (form.get('confirm') !== shown.word) return deployPage(shown, { isWrongWord: true });
  const { machines, request } = shown;
  const results = await perform(
    visit,
    (node, index) => ({
      method: 'PUT',
      path: `/v1/nodes/${node}/states/provision`,
      body: deployBody(request, index + 1, machines.length),
    }),
    machines.map(({ node }) => node.uuid),
  );
  if (results.every(({ refusal }) => refusal !== null)) {
    const refusals = results.map(({ refusal }, index) => `${machines[index]?.label ?? ''}: ${refusal ?? ''}`);
    return deployPage(shown, { refusals });
  }
  const { verb } = request;
  const action = verb === 'active' ? 'deploy' : 'rebuild';
  const id = outcomes.add({ action, verb, user: visit.caller.user, results });
  return redirect(`/ui/results/${id}`, 303);
}
