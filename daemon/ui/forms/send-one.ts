// Sends the one request of a form to the API.
import type { Answer } from '../../http/answer.ts';
import type { ApiCall, Visit } from '../../http/pages.ts';
import { redirect } from '../answers.ts';
import type { PageView } from '../views/layout.ts';
import { refusedView } from '../views/requests.ts';
import { refusalText } from '../actions/perform.ts';

/** Redirects the browser to `next`, or shows why the API refused the request. */
export async function sendOne(
  { call }: Pick<Visit, 'call'>,
  { request, next }: { readonly request: ApiCall; readonly next: string },
): Promise<PageView | Answer> {
  const response = await call(request);
  return response.ok ? redirect(next, 303) : refusedView(await refusalText(response));
}
