// The form that adds one machine by the address and the login of its BMC.
import type { BmcTestResult } from '../../../conductor/take-in/test-bmc.ts';
import { button } from '../../kit/controls.ts';
import { checkField, inputField, selectField } from '../../kit/fields.ts';
import { html, type Markup } from '../../kit/markup.ts';
import { card, facts, notice } from '../../kit/surfaces.ts';

export interface BmcForm {
  /** What was typed, by the names of the fields; without the password. */
  readonly given: Readonly<Record<string, string>>;
  readonly drivers: readonly string[];
  /** The resource classes of other machines, which the browser offers while the visitor types. */
  readonly classes: readonly string[];
  readonly result:
    | Pick<BmcTestResult, 'product' | 'serial_number' | 'power' | 'macs' | 'driver' | 'problem'>
    | undefined;
  /** Why the API has refused the machine. */
  readonly refusal: string | undefined;
}

export const byBmcView = (form: BmcForm): Markup =>
  html`<form class="split" method="post" action="/ui/add" id="add-bmc">
    <div class="stack">${bmcCard(form)} ${machineCard(form)}</div>
    <div id="result" class="stack">${resultOf(form)}</div>
  </form>`;

function bmcCard({ given, drivers }: BmcForm): Markup {
  const value = (name: string) => given[name] ?? '';
  return card({
    title: 'BMC',
    body: html`<div class="form columns">
      ${inputField({
        name: 'address',
        label: 'Address',
        value: value('address'),
        required: true,
        placeholder: '10.0.9.12',
        help: 'An IP address or host name; for a Redfish service at another port, its URL',
        full: true,
      })}
      ${inputField({ name: 'username', label: 'User', value: value('username') })}
      ${inputField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'new-password' })}
      ${selectField({
        name: 'driver',
        label: 'Driver',
        value: value('driver'),
        empty: 'find out',
        choices: drivers.map((driver) => ({ value: driver, label: driver })),
      })}
      <div class="field">
        <span class="label">Certificate</span>
        <div>
          ${checkField({ name: 'verify', label: 'Verify the certificate of the BMC', isChecked: value('verify') === 'true' })}
        </div>
      </div>
    </div>`,
    footer: html`<div class="row">
      ${button({ label: 'Test', name: 'do', value: 'test', icon: 'bolt' })}
      <small>Nothing is stored and nothing is changed by a test.</small>
    </div>`,
  });
}

function machineCard({ given, classes }: BmcForm): Markup {
  const value = (name: string) => given[name] ?? '';
  return card({
    title: 'Machine',
    body: html`<div class="form columns">
      ${inputField({ name: 'name', label: 'Name', value: value('name'), placeholder: 'rack1-07' })}
      ${inputField({ name: 'resource_class', label: 'Class', value: value('resource_class'), maxLength: 80, offers: classes })}
      <div class="full stack">
        ${checkField({
          name: 'goes_on',
          label: html`Then bring it to available: verify its login, inspect it and clean it
            <small>Cleaning may erase its disks.</small>`,
          isChecked: value('goes_on') === 'true',
        })}
        ${checkField({ name: 'untested', label: 'Add it even if the test fails', isChecked: value('untested') === 'true' })}
      </div>
    </div>`,
    footer: html`<div class="row">
      ${button({ label: 'Add the machine', name: 'do', value: 'add', look: 'primary', icon: 'add' })}
    </div>`,
  });
}

function resultOf({ result, refusal }: BmcForm): Markup {
  if (refusal !== undefined) return notice('broken', refusal, true);
  if (result === undefined)
    return card({
      title: 'Test',
      body: html`<p class="soft-text">
        The test says whether the BMC answers and takes the login, and which machine it belongs to. The
        machine is tested once more before it is added. BMCs lock users out after some wrong passwords: a
        refused one is not sent again for a while.
      </p>`,
    });
  const { driver, product, serial_number: serial, power, macs, problem } = result;
  return html`${
    problem === null
      ? notice('good', 'The BMC answers and takes the login.', true)
      : notice('broken', html`<p>${problem}</p>`, true)
  }
  ${
    driver === null
      ? ''
      : card({
          title: 'What the BMC says',
          body: facts([
            ['Driver', driver],
            ['Power', power ?? (problem === null ? 'not reported' : '')],
            ['Model', product],
            ['Serial', serial === null ? '' : html`<span class="mono">${serial}</span>`],
            ['MAC', macs.slice(0, MOST_MACS).join(', ')],
          ]),
        })
  }`;
}

const MOST_MACS = 8;
