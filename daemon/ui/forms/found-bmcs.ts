// Handles the forms that accept machines whose BMCs were found, and let machines that have stopped go on.
import type { Answer } from '../../http/answer.ts';
import type { Visit } from '../../http/pages.ts';
import { fault } from '../../model/faults.ts';
import { redirect } from '../answers.ts';
import { refusalText } from '../actions/perform.ts';
import type { UiSite } from '../site.ts';
import type { PageView } from '../views/layout.ts';
import { refusedView } from '../views/requests.ts';

const MOST = 1000;
const GIVEN = ['bmc_username', 'bmc_password', 'resource_class'] as const;

export const acceptFound = (_: UiSite, visit: Visit, form: URLSearchParams) => {
  const given = GIVEN.map((name) => [name, form.get(name) ?? ''] as const);
  return toChosen(visit, form, {
    action: 'accept',
    body: Object.fromEntries(given.filter(([, value]) => value !== '')),
  });
};

export const continueFound = (_: UiSite, visit: Visit, form: URLSearchParams) =>
  toChosen(visit, form, { action: 'continue', body: {} });

async function toChosen(
  { call }: Visit,
  form: URLSearchParams,
  { action, body }: { readonly action: string; readonly body: Readonly<Record<string, string>> },
): Promise<PageView | Answer> {
  const kind = form.get('kind')?.split(' ');
  const chosen = (kind ?? form.getAll(form.has('all') ? 'shown' : 'bmc')).slice(0, MOST);
  if (chosen.length === 0)
    throw fault('InvalidParameter', { name: 'bmc', reason: 'go back and choose at least one machine' });
  const refusals: string[] = [];
  for (const bmc of chosen) {
    const path = `/v1/found_bmcs/${encodeURIComponent(bmc)}/${action}`;
    const answer = await call({ method: 'POST', path, body });
    if (!answer.ok) refusals.push(await refusalText(answer));
  }
  return refusals.length === 0
    ? redirect('/ui/add/discovered', 303)
    : refusedView([...new Set(refusals)].join(' '));
}
