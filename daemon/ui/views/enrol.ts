// The form that enrols a machine of the inbox.
import { html, type Markup } from './markup.ts';

export interface Enrolment {
  /** The MAC address of the machine. */
  readonly machine: string;
  readonly name: string;
  readonly driver: string;
  readonly address: string;
  readonly username: string;
  readonly drivers: readonly string[];
  /** Why the form is shown again; undefined the first time. */
  readonly refusal: string | undefined;
}

export const enrolView = ({
  machine,
  name,
  driver,
  address,
  username,
  drivers,
  refusal,
}: Enrolment): Markup =>
  html`<h1>Enrol ${machine}</h1>
    ${refusal === undefined ? '' : html`<p class="trouble" role="alert">${refusal}</p>`}
    <form method="post" action="/ui/inbox/enrol" class="fields">
      <input type="hidden" name="machine" value="${machine}" />
      <label>Name <input name="name" value="${name}" maxlength="255" autocomplete="off" /></label>
      <label
        >Driver
        <select name="driver" required>
          <option value="">choose a driver</option>
          ${drivers.map(
            (each) => html`<option value="${each}" ${each === driver ? html`selected` : ''}>${each}</option>`,
          )}
        </select>
      </label>
      <label
        >Address of its BMC <input name="address" value="${address}" maxlength="255" autocomplete="off"
      /></label>
      <label
        >User of the BMC <input name="username" value="${username}" maxlength="255" autocomplete="off"
      /></label>
      <label
        >Password of the BMC <input name="password" type="password" maxlength="255" autocomplete="off"
      /></label>
      <p>
        Enrolling creates a node in state enroll, and a port with this MAC address. The next action is
        <q>manage</q>.
      </p>
      <p><button>Enrol</button> <a href="/ui/inbox">Leave it in the inbox</a></p>
    </form>`;
