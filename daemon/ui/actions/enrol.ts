// Handles the forms of the inbox, which enrol an unknown machine as a node with a port, or change whether it is ignored.
import type { Answer } from '../../http/answer.ts';
import type { Visit } from '../../http/pages.ts';
import { fault } from '../../model/faults.ts';
import { redirect } from '../answers.ts';
import { enrolPage } from '../read/enrolment.ts';
import type { Site } from '../site.ts';
import type { View } from '../views/layout.ts';
import { refusalOf } from './perform.ts';
import { sendOne } from './send-one.ts';

export function ignore(_: Site, visit: Visit, form: URLSearchParams): Promise<View | Answer> {
  const machine = encodeURIComponent(form.get('machine') ?? '');
  const ignored = form.get('ignored') === 'true';
  return sendOne(visit, {
    request: { method: 'PUT', path: `/v1/unknown_machines/${machine}`, body: { ignored } },
    next: '/ui/inbox',
  });
}

/** Creates a node and its port. When the port is refused, the node is deleted again. */
export async function enrol(
  { services }: Site,
  { call }: Visit,
  form: URLSearchParams,
): Promise<View | Answer> {
  const [machine = '', name = '', driver = ''] = ['machine', 'name', 'driver'].map(
    (each) => form.get(each) ?? '',
  );
  const credentials = await credentialsFor({ call }, driver, form);
  if ('refusal' in credentials) return enrolPage(services, form, credentials.refusal);
  const body = { driver, ...(name !== '' && { name }), driver_info: credentials.driver_info };
  const created = await call({ method: 'POST', path: '/v1/nodes', body });
  if (!created.ok) return enrolPage(services, form, await refusalOf(created));
  const { uuid } = (await created.json()) as { readonly uuid: string };
  const port = await call({
    method: 'POST',
    path: '/v1/ports',
    body: { node_uuid: uuid, address: machine },
  });
  if (port.ok) return redirect(`/ui/nodes/${uuid}`, 303);
  await call({ method: 'DELETE', path: `/v1/nodes/${uuid}` });
  return enrolPage(services, form, await refusalOf(port));
}

const CREDENTIALS = ['address', 'username', 'password'] as const;

type Credentials = { readonly driver_info: Readonly<Record<string, string>> } | { readonly refusal: string };

/** Gives the credentials the names that the driver uses, as in `ipmi_address`. */
async function credentialsFor(
  { call }: Pick<Visit, 'call'>,
  driver: string,
  form: URLSearchParams,
): Promise<Credentials> {
  const answer = await call({ method: 'GET', path: `/v1/drivers/${encodeURIComponent(driver)}/properties` });
  if (!answer.ok) return { refusal: await refusalOf(answer) };
  const properties = Object.keys((await answer.json()) as object).toSorted((a, b) => a.length - b.length);
  const found: Record<string, string> = {};
  for (const kind of CREDENTIALS) {
    const value = form.get(kind) ?? '';
    const property = properties.find((each) => each.endsWith(`_${kind}`));
    if (value === '') continue;
    if (property === undefined)
      return {
        refusal: fault('InvalidParameter', { name: kind, reason: `the driver ${driver} takes none` }).message,
      };
    found[property] = value;
  }
  return { driver_info: found };
}
