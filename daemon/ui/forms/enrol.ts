// Handles the forms that enrol an unknown machine as a node with a port, or change whether it is ignored.
import type { Answer } from '../../http/answer.ts';
import type { Visit } from '../../http/pages.ts';
import { driverInfoOf } from '../../conductor/take-in/driver-info.ts';
import type { Services } from '../../conductor/services.ts';
import { Fault } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import { redirect } from '../answers.ts';
import { readEnrolment } from '../read/add/enrolment.ts';
import { enrolPage } from '../views/add/unknown.ts';
import type { UiSite } from '../site.ts';
import type { PageView } from '../views/layout.ts';
import { refusalText } from '../actions/perform.ts';
import { sendOne } from './send-one.ts';

export function ignore(_: UiSite, visit: Visit, form: URLSearchParams): Promise<PageView | Answer> {
  const machine = encodeURIComponent(form.get('machine') ?? '');
  const ignored = form.get('ignored') === 'true';
  return sendOne(visit, {
    request: { method: 'PUT', path: `/v1/unknown_machines/${machine}`, body: { ignored } },
    next: '/ui/add/discovered',
  });
}

/** Creates a node and its port. When the port is refused, the node is deleted again. */
export async function enrol(
  { services }: UiSite,
  { call }: Visit,
  form: URLSearchParams,
): Promise<PageView | Answer> {
  const [machine = '', name = '', driver = ''] = ['machine', 'name', 'driver'].map(
    (each) => form.get(each) ?? '',
  );
  const info = infoOf(services, driver, form);
  if (typeof info === 'string') return enrolPage(readEnrolment(services, form, info));
  const body = { driver, ...(name !== '' && { name }), driver_info: info };
  const created = await call({ method: 'POST', path: '/v1/nodes', body });
  if (!created.ok) return enrolPage(readEnrolment(services, form, await refusalText(created)));
  const { uuid } = (await created.json()) as { readonly uuid: string };
  const port = await call({
    method: 'POST',
    path: '/v1/ports',
    body: { node_uuid: uuid, address: machine },
  });
  if (port.ok) return redirect(`/ui/nodes/${uuid}`, 303);
  await call({ method: 'DELETE', path: `/v1/nodes/${uuid}` });
  return enrolPage(readEnrolment(services, form, await refusalText(port)));
}

/** Returns why the driver does not take what was typed. */
function infoOf(services: Services, driver: string, form: URLSearchParams): JsonObject | string {
  const [address = '', username = '', password = ''] = ['address', 'username', 'password'].map(
    (each) => form.get(each) ?? '',
  );
  try {
    return driverInfoOf(services, driver, { address, username, password });
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}
