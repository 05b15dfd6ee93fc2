// The form that enrols a machine that was heard on the network.
import { button, linkButton } from '../../kit/controls.ts';
import { inputField, selectField } from '../../kit/fields.ts';
import { html } from '../../kit/markup.ts';
import { card, notice, pageHead } from '../../kit/surfaces.ts';
import type { Enrolment } from '../../read/add/enrolment.ts';
import type { PageView } from '../layout.ts';

export const enrolPage = (shown: Enrolment): PageView => {
  const { machine, name, driver, address, username, drivers, refusal } = shown;
  return {
    title: 'Enrol a machine',
    at: '/ui/add',
    body: html`${pageHead(`Enrol ${machine}`)}
      <form method="post" action="/ui/add/unknown" class="stack">
        ${refusal === undefined ? '' : notice('broken', refusal, true)}
        <input type="hidden" name="machine" value="${machine}" />
        ${card({
          body: html`<div class="form columns">
            ${inputField({ name: 'name', label: 'Name', value: name })}
            ${selectField({
              name: 'driver',
              label: 'Driver',
              value: driver,
              empty: 'choose a driver',
              required: true,
              choices: drivers.map((each) => ({ value: each, label: each })),
            })}
            ${inputField({ name: 'address', label: 'Address of its BMC', value: address })}
            ${inputField({ name: 'username', label: 'User of the BMC', value: username })}
            ${inputField({ name: 'password', label: 'Password of the BMC', type: 'password' })}
            <p class="full soft-text">
              Enrolling creates a node in state enroll, and a port with this MAC address. The next action is
              <q>manage</q>.
            </p>
          </div>`,
          footer: html`<div class="buttons">
            ${button({ label: 'Enrol', look: 'primary' })}
            ${linkButton('/ui/add/discovered', { label: 'Leave it where it is', look: 'quiet' })}
          </div>`,
        })}
      </form>`,
  };
};
