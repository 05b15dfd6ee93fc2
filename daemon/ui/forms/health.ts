// Handles the forms of the view Health: the doctor looks again, and a plugin is loaded again.
import type { Answer } from '../../http/answer.ts';
import type { Visit } from '../../http/pages.ts';
import { fault } from '../../model/faults.ts';
import { includesRole } from '../../http/login/route-access.ts';
import { redirect } from '../answers.ts';
import type { UiSite } from '../site.ts';
import type { PageView } from '../views/layout.ts';
import { sendOne } from './send-one.ts';

/** The API has no such request, so the role is checked here. */
export async function examineNow({ doctor }: UiSite, { caller, url, request }: Visit): Promise<Answer> {
  const { user, role } = caller;
  if (!includesRole(role, 'operator'))
    throw fault('RoleTooLow', {
      user: user ?? '',
      role,
      method: request.method,
      path: url.pathname,
      needed: 'operator',
    });
  doctor.begin();
  return redirect('/ui/health', 303);
}

export function reloadPlugin(_: UiSite, visit: Visit, form: URLSearchParams): Promise<PageView | Answer> {
  const plugin = encodeURIComponent(form.get('plugin') ?? '');
  return sendOne(visit, {
    request: { method: 'POST', path: `/v1/plugins/${plugin}/reload` },
    next: '/ui/health',
  });
}
