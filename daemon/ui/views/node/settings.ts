// The tab Settings of a machine: a form for what people change, and the whole record as JSON.
import type { SettingName, SettingValues } from '../../actions/settings.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import { button } from '../../kit/controls.ts';
import { checkField, inputField, selectField, textAreaField } from '../../kit/fields.ts';
import { html, type Markup } from '../../kit/markup.ts';
import { card, notice } from '../../kit/surfaces.ts';

export interface SettingsParts {
  readonly node: string;
  readonly record: JsonObject;
  /** What the record had when the form was shown first. */
  readonly before: SettingValues;
  /** What the form shows: the record, or what was typed. */
  readonly shown: SettingValues;
  readonly wrong: Readonly<Partial<Record<SettingName, string>>>;
  /** Whether the visitor has just saved something. */
  readonly isSaved: boolean;
  /** The disks of the last inspection, of which one can be the root device. */
  readonly disks: readonly JsonObject[];
  /** The console interfaces that the machine can have. */
  readonly consoles: readonly string[];
}

export const settingsTab = (parts: SettingsParts): Markup =>
  html`<div class="stack">
    ${answer(parts)}
    <form method="post" action="/ui/settings" class="stack">
      <input type="hidden" name="node" value="${parts.node}" />
      ${Object.entries(parts.before).map(
        ([name, value]) => html`<input type="hidden" name="was_${name}" value="${value}" />`,
      )}
      ${card({ title: 'What it is', body: identity(parts) })}
      ${card({ title: 'How it is handled', body: handling(parts), footer: saveBar() })}
    </form>
    ${card({
      title: 'The record as JSON',
      id: 'record',
      live: true,
      body: html`<pre tabindex="0">${JSON.stringify(parts.record, null, 2)}</pre>`,
    })}
  </div>`;

function answer({ wrong, isSaved }: SettingsParts): Markup | string {
  const count = Object.keys(wrong).length;
  if (count > 0)
    return notice(
      'broken',
      'Not everything could be saved: see the fields that are marked. The rest is saved.',
      true,
    );
  return isSaved ? notice('good', 'Saved.', true) : '';
}

const saveBar = (): Markup =>
  html`<div class="buttons">
    ${button({ label: 'Save', look: 'primary' })}
    <small>Only what you have changed is sent, each as one request to the API.</small>
  </div>`;

const of = ({ shown, wrong }: SettingsParts, name: SettingName) => ({
  name,
  value: shown[name],
  wrong: wrong[name],
});

const identity = (parts: SettingsParts): Markup =>
  html`<div class="form columns">
    ${inputField({ ...of(parts, 'name'), label: 'Name' })}
    ${inputField({ ...of(parts, 'owner'), label: 'Owner' })}
    ${inputField({ ...of(parts, 'rack'), label: 'Rack', help: 'Without one, the name up to its last hyphen is the rack.' })}
    ${inputField({ ...of(parts, 'unit'), label: 'Unit', help: 'Counted from the bottom of the rack.' })}
    ${textAreaField({ ...of(parts, 'description'), label: 'Description', rows: 2, full: true, maxLength: 4096 })}
    ${inputField({ ...of(parts, 'resource_class'), label: 'Class', help: 'Resource class; a hardware class of this name says what the machine should be made of.' })}
    ${inputField({ ...of(parts, 'traits'), label: 'Traits', maxLength: 10_000, help: 'Such as CUSTOM_GPU; with spaces between.' })}
  </div>`;

const handling = (parts: SettingsParts): Markup =>
  html`<div class="form columns">
    <div class="field">
      <span class="label">Protection</span>
      ${checkField({ name: 'protected', label: 'Protect the instance from undeploy and rebuild', isChecked: parts.shown.protected === 'true' })}
      ${parts.wrong.protected === undefined ? '' : html`<span class="wrong" role="alert">${parts.wrong.protected}</span>`}
    </div>
    ${inputField({ ...of(parts, 'protected_reason'), label: 'Reason for the protection' })}
    ${selectField({
      ...of(parts, 'automated_clean'),
      label: 'Automated cleaning',
      empty: 'as configured for the site',
      choices: [
        { value: 'true', label: 'always' },
        { value: 'false', label: 'never' },
      ],
    })}
    ${selectField({
      ...of(parts, 'boot_mode'),
      label: 'Boot mode',
      empty: 'as configured for the site',
      choices: [
        { value: 'uefi', label: 'UEFI' },
        { value: 'bios', label: 'BIOS' },
      ],
    })}
    ${selectField({
      ...of(parts, 'console_interface'),
      label: 'Console interface',
      choices: parts.consoles.map((value) => ({ value, label: value === '' ? 'the default' : value })),
    })}
    ${inputField({
      ...of(parts, 'root_device'),
      label: 'Root device',
      maxLength: 2000,
      offers: parts.disks.flatMap(hintOf),
      help: 'Hints that choose the disk for the system, as JSON; the known disks are offered.',
      full: true,
    })}
  </div>`;

/** Returns the hint that chooses this disk and no other. */
function hintOf(disk: JsonObject): readonly string[] {
  const name = ['serial', 'wwn'].find((each) => typeof disk[each] === 'string' && disk[each] !== '');
  return name === undefined ? [] : [JSON.stringify({ [name]: disk[name] ?? null })];
}

export const disksIn = (inventory: JsonObject | undefined): readonly JsonObject[] => {
  const disks = inventory?.['disks'];
  return Array.isArray(disks) ? disks.filter(isJsonObject) : [];
};
