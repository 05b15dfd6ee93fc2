// The forms of the views Users and Sessions: they make and revoke tokens, and end sessions.
import type { Answer } from '../../http/answer.ts';
import type { Visit } from '../../http/pages.ts';
import { refusalText } from '../actions/perform.ts';
import { type UiSite, usersPage } from '../site.ts';
import type { PageView } from '../views/layout.ts';
import { sendOne } from './send-one.ts';

/** Shows the new token, this once. */
export async function makeToken(
  site: UiSite,
  visit: Visit,
  form: URLSearchParams,
): Promise<PageView | Answer> {
  const [user = '', until = ''] = ['user', 'until'].map((name) => (form.get(name) ?? '').trim());
  const body = { user, ...(until !== '' && { until }) };
  const answer = await visit.call({ method: 'POST', path: '/v1/user_tokens', body });
  if (!answer.ok)
    return usersPage(site, visit, { refused: { user, until, reason: await refusalText(answer) } });
  const { token } = (await answer.json()) as { readonly token: string };
  return usersPage(site, visit, { made: { user, token } });
}

export const revokeToken = (_: UiSite, visit: Visit, form: URLSearchParams): Promise<PageView | Answer> =>
  sendOne(visit, {
    request: { method: 'DELETE', path: `/v1/user_tokens/${encodeURIComponent(form.get('token') ?? '')}` },
    next: '/ui/users',
  });

/** Leads back to the view with the form. */
export const endSession = (_: UiSite, visit: Visit, form: URLSearchParams): Promise<PageView | Answer> =>
  sendOne(visit, {
    request: { method: 'DELETE', path: `/v1/user_sessions/${encodeURIComponent(form.get('session') ?? '')}` },
    next: form.get('from') === 'users' ? '/ui/users' : '/ui/sessions',
  });
