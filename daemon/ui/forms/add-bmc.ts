// Handles the form that adds one machine: tests its BMC, and stores the machine if the test is passed.
import { driverInfoOf } from '../../conductor/take-in/driver-info.ts';
import type { BmcTestResult } from '../../conductor/take-in/test-bmc.ts';
import type { Answer } from '../../http/answer.ts';
import type { Visit } from '../../http/pages.ts';
import { refusalText } from '../actions/perform.ts';
import { byBmcPage } from '../add-pages.ts';
import { redirect } from '../answers.ts';
import type { UiSite } from '../site.ts';
import type { PageView } from '../views/layout.ts';

/** Fields that are shown again; the password is not. */
const SHOWN = ['address', 'username', 'driver', 'verify', 'name', 'resource_class', 'goes_on', 'untested'];

export async function addByBmc(
  { services }: UiSite,
  visit: Visit,
  form: URLSearchParams,
): Promise<PageView | Answer> {
  const text = (name: string) => form.get(name) ?? '';
  const given = Object.fromEntries(SHOWN.map((name) => [name, text(name)]));
  const refused = (refusal: string) => byBmcPage(services, { given, refusal });
  const isAdded = text('do') === 'add';
  const isForced = isAdded && text('untested') === 'true';
  if (isForced && text('driver') !== '')
    return store({ services }, visit, { form, driver: text('driver'), refused });
  const result = await testOf(visit, form);
  if (typeof result === 'string') return refused(result);
  return isAdded && result.driver !== null && (isForced || result.problem === null)
    ? store({ services }, visit, { form, driver: result.driver, refused })
    : byBmcPage(services, { given, result });
}

/** Resolves with why the API refuses to test. */
async function testOf({ call }: Visit, form: URLSearchParams): Promise<BmcTestResult | string> {
  const text = (name: string) => form.get(name) ?? '';
  const body = {
    address: text('address'),
    verify_ca: form.get('verify') === 'true',
    ...Object.fromEntries(
      ['username', 'password', 'driver'].flatMap((name) => (text(name) === '' ? [] : [[name, text(name)]])),
    ),
  };
  const answer = await call({ method: 'POST', path: '/v1/bmc_tests', body });
  return answer.ok ? ((await answer.json()) as BmcTestResult) : refusalText(answer);
}

async function store(
  { services }: Pick<UiSite, 'services'>,
  { call }: Visit,
  {
    form,
    driver,
    refused,
  }: {
    readonly form: URLSearchParams;
    readonly driver: string;
    readonly refused: (reason: string) => PageView;
  },
): Promise<PageView | Answer> {
  const [name = '', resourceClass = ''] = ['name', 'resource_class'].map(
    (each) => form.get(each)?.trim() ?? '',
  );
  const login = {
    address: form.get('address') ?? '',
    username: form.get('username') ?? '',
    password: form.get('password') ?? '',
  };
  const body = {
    driver,
    driver_info: driverInfoOf(services, driver, { ...login, verifyCa: form.get('verify') === 'true' }),
    ...(name !== '' && { name }),
    ...(resourceClass !== '' && { resource_class: resourceClass }),
  };
  const created = await call({ method: 'POST', path: '/v1/nodes', body });
  if (!created.ok) return refused(await refusalText(created));
  const { uuid } = (await created.json()) as { readonly uuid: string };
  if (form.get('goes_on') === 'true')
    await call({ method: 'PUT', path: `/v1/nodes/${uuid}/states/goal`, body: { target: 'available' } });
  return redirect(`/ui/nodes/${uuid}`, 303);
}
