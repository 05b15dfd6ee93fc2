// Handles the form Settings of a machine: sends a request for each setting that the visitor has changed, and shows the form again,
// with what was typed, where the API has refused one.
import type { Answer } from '../../http/answer.ts';
import type { Visit } from '../../http/pages.ts';
import { findNode } from '../../conductor/records/find-record.ts';
import type { JsonObject } from '../../model/json.ts';
import { MAXIMUM_MINOR } from '../../model/microversions.ts';
import { refusalText } from '../actions/perform.ts';
import {
  settingChange,
  type SettingName,
  settingNames,
  settingsOf,
  type SettingValues,
} from '../actions/settings.ts';
import { redirect } from '../answers.ts';
import { settingsPage } from '../node-pages.ts';
import type { UiSite } from '../site.ts';
import type { PageView } from '../views/layout.ts';

/** A reason is refused without protection: what is switched on comes first, what is switched off last. */
const inOrder = (wanted: SettingValues): readonly SettingName[] =>
  wanted.protected === 'true'
    ? settingNames
    : [...settingNames.filter((name) => name !== 'protected'), 'protected'];

export async function saveSettings(
  { services }: UiSite,
  visit: Visit,
  form: URLSearchParams,
): Promise<PageView | Answer> {
  const node = findNode(services, form.get('node') ?? '', MAXIMUM_MINOR);
  const { uuid } = node;
  const shown = await visit.call({ method: 'GET', path: `/v1/nodes/${uuid}` });
  const record = (await shown.json()) as JsonObject;
  const [before, wanted] = [valuesIn(form, 'was_', record), valuesIn(form, '', record)];
  const wrong: Partial<Record<SettingName, string>> = {};
  for (const name of inOrder(wanted)) {
    if (wanted[name] === before[name]) continue;
    const change = settingChange(name, { uuid, record, wanted });
    const refusal = 'wrong' in change ? change.wrong : await refusalOf(visit, change.request);
    if (refusal !== undefined) wrong[name] = refusal;
  }
  if (Object.keys(wrong).length === 0) return redirect(`/ui/nodes/${uuid}/settings?saved`, 303);
  return settingsPage(services, visit, { node, before, shown: wanted, wrong });
}

/** A form without a field leaves the setting as it is; an unticked box is a field without a value. */
function valuesIn(form: URLSearchParams, prefix: string, record: JsonObject): SettingValues {
  const now = settingsOf(record);
  const values = settingNames.map((name) => {
    const given = form.get(`${prefix}${name}`);
    const isUnticked = name === 'protected' && prefix === '';
    return [name, given?.replaceAll('\r\n', '\n') ?? (isUnticked ? '' : now[name])];
  });
  return Object.fromEntries(values) as SettingValues;
}

async function refusalOf(
  { call }: Visit,
  request: Parameters<Visit['call']>[0],
): Promise<string | undefined> {
  const answer = await call(request);
  return answer.ok ? undefined : refusalText(answer);
}
