// The fields of forms: each with its label, help in place, and what is wrong with what was typed.
import { icon } from './icon.ts';
import { html, type Markup } from './markup.ts';

interface FieldParts {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly help?: Markup | string | undefined;
  /** What is wrong with the value, and what to do. */
  readonly wrong?: string | undefined;
  readonly required?: boolean;
  /** Whether the field takes the whole width of a form with columns. */
  readonly full?: boolean;
}

export interface InputParts extends FieldParts {
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'url' | 'file';
  readonly placeholder?: string;
  readonly maxLength?: number;
  /** Values that the browser offers while the visitor types. */
  readonly offers?: readonly string[];
  readonly autocomplete?: string;
}

const LONGEST = 255;

export const inputField = (parts: InputParts): Markup => {
  const { type = 'text', placeholder, maxLength = LONGEST, offers, autocomplete = 'off' } = parts;
  const list = `${parts.name}-offers`;
  return framed(
    parts,
    html`<input
        ${common(parts)}
        type="${type}"
        value="${type === 'password' ? '' : (parts.value ?? '')}"
        maxlength="${maxLength}"
        autocomplete="${autocomplete}"
        ${placeholder === undefined ? '' : html`placeholder="${placeholder}"`}
        ${offers === undefined ? '' : html`list="${list}"`}
      />${
        offers === undefined
          ? ''
          : html`<datalist id="${list}">
              ${offers.map((each) => html`<option value="${each}"></option>`)}
            </datalist>`
      }`,
  );
};

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** `empty`: what the first choice says, whose value is empty; without it, there is no such choice. */
export const selectField = (
  parts: FieldParts & { readonly choices: readonly Choice[]; readonly empty?: string },
): Markup =>
  framed(
    parts,
    html`<select ${common(parts)}>
      ${parts.empty === undefined ? '' : html`<option value="">${parts.empty}</option>`}
      ${parts.choices.map(
        ({ value, label }) =>
          html`<option value="${value}" ${value === parts.value ? html`selected` : ''}>${label}</option>`,
      )}
    </select>`,
  );

export const textAreaField = (
  parts: FieldParts & { readonly rows?: number; readonly placeholder?: string; readonly maxLength?: number },
): Markup =>
  framed(
    parts,
    // a line break after the tag is dropped by browsers; one in the value is kept
    html`<textarea
      ${common(parts)}
      rows="${parts.rows ?? 5}"
      spellcheck="false"
      autocomplete="off"
      ${parts.maxLength === undefined ? '' : html`maxlength="${parts.maxLength}"`}
      ${parts.placeholder === undefined ? '' : html`placeholder="${parts.placeholder}"`}
    >
${parts.value ?? ''}</textarea>`,
  );

export const checkField = (parts: {
  readonly name: string;
  readonly label: Markup | string;
  readonly value?: string;
  readonly isChecked?: boolean;
}): Markup =>
  html`<label class="check"
    ><input
      type="checkbox"
      name="${parts.name}"
      value="${parts.value ?? 'true'}"
      ${parts.isChecked === true ? html`checked` : ''}
    />
    <span>${parts.label}</span></label
  >`;

const idOf = ({ name }: FieldParts): string => `field-${name}`;

function common(parts: FieldParts): Markup {
  const { name, required = false, help, wrong } = parts;
  const described = [
    help === undefined ? '' : `${idOf(parts)}-help`,
    wrong === undefined ? '' : `${idOf(parts)}-wrong`,
  ];
  const about = described.join(' ').trim();
  return html`id="${idOf(parts)}" name="${name}" ${required ? html`required` : ''}
  ${about === '' ? '' : html`aria-describedby="${about}"`}
  ${wrong === undefined ? '' : html`aria-invalid="true"`}`;
}

function framed(parts: FieldParts, control: Markup): Markup {
  const { label, help, wrong, full = false } = parts;
  return html`<div class="field ${full ? 'full' : ''}">
    <label for="${idOf(parts)}">${label}</label>
    ${control}
    ${wrong === undefined ? '' : html`<span class="wrong" id="${idOf(parts)}-wrong">${icon('failed')} ${wrong}</span>`}
    ${help === undefined ? '' : html`<span class="help" id="${idOf(parts)}-help">${help}</span>`}
  </div>`;
}
