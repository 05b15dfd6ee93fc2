// Handles the list of machines: shows what each line would become, and stores all of them or none.
import { driverInfoOf } from '../../conductor/take-in/driver-info.ts';
import type { Services } from '../../conductor/services.ts';
import type { Answer } from '../../http/answer.ts';
import type { ApiCall, Visit } from '../../http/pages.ts';
import { refusalText } from '../actions/perform.ts';
import { manyPage } from '../add-pages.ts';
import { redirect } from '../answers.ts';
import { type CheckedRow, checkedList, macTexts, stationMac } from '../read/add/checked-list.ts';
import { typedList } from '../read/add/typed-list.ts';
import type { UiSite } from '../site.ts';
import type { PageView } from '../views/layout.ts';

export async function addMany(
  { services }: UiSite,
  visit: Visit,
  form: URLSearchParams,
): Promise<PageView | Answer> {
  const text = form.get('list') ?? '';
  const driver = form.get('driver') ?? '';
  const goesOn = form.get('goes_on') === 'true';
  const list = typedList(text);
  const rows = checkedList(services, list.rows, driver);
  const shown = (refusal?: string) => manyPage(services, { text, driver, goesOn, list, rows, refusal });
  const right = rows.filter(({ problems }) => problems.length === 0);
  const isAsked =
    form.get('do') === 'add-right' || (form.get('do') === 'add' && right.length === rows.length);
  if (!isAsked || right.length === 0) return shown();
  const refusal = await storeAll(services, visit, { rows: right, driver, goesOn });
  if (refusal !== undefined) return shown(refusal);
  return redirect(right.some(({ becomes }) => becomes === 'node') ? '/ui/' : '/ui/add/discovered', 303);
}

/** Resolves with why nothing is stored. */
async function storeAll(
  services: Services,
  visit: Visit,
  {
    rows,
    driver,
    goesOn,
  }: { readonly rows: readonly CheckedRow[]; readonly driver: string; readonly goesOn: boolean },
): Promise<string | undefined> {
  const created: string[] = [];
  const refusal = await storeEach(services, visit, { rows, driver, created });
  if (refusal !== undefined) {
    for (const node of created) await visit.call({ method: 'DELETE', path: `/v1/nodes/${node}` });
    return `Nothing was added. ${refusal}`;
  }
  if (goesOn)
    for (const node of created)
      await visit.call({
        method: 'PUT',
        path: `/v1/nodes/${node}/states/goal`,
        body: { target: 'available' },
      });
  return undefined;
}

/** Adds the UUIDs of the nodes to `created`. The expected machines come last: the API stores all of them or none. */
async function storeEach(
  services: Services,
  { call }: Visit,
  {
    rows,
    driver,
    created,
  }: { readonly rows: readonly CheckedRow[]; readonly driver: string; readonly created: string[] },
): Promise<string | undefined> {
  const send = async (request: ApiCall, line: number): Promise<{ readonly uuid: string } | string> => {
    const answer = await call(request);
    return answer.ok
      ? ((await answer.json()) as { readonly uuid: string })
      : `Line ${line}: ${await refusalText(answer)}`;
  };
  for (const row of rows.filter(({ becomes }) => becomes === 'node')) {
    const node = await send(
      { method: 'POST', path: '/v1/nodes', body: nodeOf(services, row, driver) },
      row.line,
    );
    if (typeof node === 'string') return node;
    created.push(node.uuid);
    for (const mac of macsOf(row)) {
      const body = { node_uuid: node.uuid, address: mac };
      const port = await send({ method: 'POST', path: '/v1/ports', body }, row.line);
      if (typeof port === 'string') return port;
    }
  }
  const expected = rows.filter(({ becomes }) => becomes === 'expected machine');
  if (expected.length === 0) return undefined;
  const answer = await call({
    method: 'POST',
    path: '/v1/expected_machines/import',
    body: expected.map(expectedOf),
  });
  return answer.ok ? undefined : refusalText(answer);
}

const macsOf = ({ values }: CheckedRow): readonly string[] =>
  macTexts(values.port_macs).flatMap((mac) => stationMac(mac) ?? []);

/** What nodes and expected machines have in common. */
const commonOf = ({ name, resource_class: resourceClass }: CheckedRow['values']) => ({
  ...(name !== undefined && { name }),
  ...(resourceClass !== undefined && { resource_class: resourceClass }),
});

function nodeOf(services: Services, { values }: CheckedRow, common: string): object {
  const { driver = common, address = '', username = '', password = '', rack, unit, height } = values;
  const login = { address, username, password, verifyCa: services.config.zero_touch.verify_ca };
  return {
    ...commonOf(values),
    driver,
    driver_info: driverInfoOf(services, driver, login),
    extra: {
      ...(rack !== undefined && { rack }),
      ...(unit !== undefined && { unit: Number(unit) }),
      ...(height !== undefined && { height: Number(height) }),
    },
  };
}

function expectedOf(row: CheckedRow): object {
  const { serial_number, bmc_mac, username, password, driver, rack, unit } = row.values;
  const ports = macsOf(row);
  const given = { serial_number, bmc_mac, bmc_username: username, bmc_password: password, driver, rack };
  return {
    ...commonOf(row.values),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(unit !== undefined && { unit: Number(unit) }),
    ...(ports.length > 0 && { port_macs: ports }),
  };
}
