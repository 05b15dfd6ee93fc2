// The page that adds an image: a known system by its name, any image by its URL, or a file of the visitor.
import { architectures, knownImages } from '../../../model/known-images.ts';
import { button, linkButton } from '../../kit/controls.ts';
import { checkField, inputField, selectField } from '../../kit/fields.ts';
import { html, type Markup } from '../../kit/markup.ts';
import { card, notice, pageHead } from '../../kit/surfaces.ts';
import type { PageView } from '../layout.ts';

/** `typed`: what the visitor typed before. `refusal`: why it was not accepted. */
export const addImagePage = (typed: URLSearchParams, refusal?: string): PageView => ({
  title: 'Add an image',
  at: '/ui/images',
  body: addImageView(typed, refusal),
  modules: ['upload.js'],
});

const ARCHITECTURES = architectures.map((each) => ({ value: each, label: each }));

export function addImageView(typed: URLSearchParams, refusal: string | undefined): Markup {
  const kind = typed.get('kind') ?? '';
  const refused = (of: string) =>
    refusal !== undefined && kind === of ? notice('broken', refusal, true) : '';
  return html`${pageHead('Add an image', {
      buttons: [linkButton('/ui/images', { label: 'Images', icon: 'back' })],
    })}
    <div class="stack">
      ${card({ title: 'A known system', body: html`<div class="stack">${refused('system')} ${systemForm(typed, kind)}</div>` })}
      ${card({ title: 'By its URL', body: html`<div class="stack">${refused('url')} ${urlForm(typed, kind)}</div>` })}
      ${card({ title: 'A file of yours', id: 'upload', body: uploadForm(typed) })}
    </div>`;
}

const fetchBox = (isChecked: boolean): Markup =>
  html`<div class="full">${checkField({ name: 'fetch', label: 'Fetch it now', isChecked })}</div>`;

const adding = (kind: string): Markup =>
  html`<div class="buttons full">
    ${button({ label: 'Add', name: 'kind', value: kind, look: 'primary', about: `Add by ${kind === 'system' ? 'name' : 'URL'}` })}
  </div>`;

function systemForm(typed: URLSearchParams, kind: string): Markup {
  const systems = [...knownImages].map(([value, { description }]) => ({
    value,
    label: `${description} (${value})`,
  }));
  return html`<form class="form columns" method="post" action="/ui/images/add">
    ${selectField({ name: 'system', label: 'System', value: typed.get('system') ?? '', empty: 'choose one', required: true, choices: systems })}
    ${selectField({ name: 'architecture', label: 'Architecture', value: typed.get('architecture') ?? 'x86_64', choices: ARCHITECTURES })}
    ${inputField({ name: 'mirror', label: 'Mirror', value: typed.get('mirror') ?? '', maxLength: 2048, placeholder: knownImages.get('debian-13')?.mirror ?? '', help: 'Empty: the distribution itself' })}
    ${fetchBox(kind !== 'system' || typed.has('fetch'))} ${adding('system')}
  </form>`;
}

function urlForm(typed: URLSearchParams, kind: string): Markup {
  const given = (name: string) => (kind === 'url' ? (typed.get(name) ?? '') : '');
  return html`<form class="form columns" method="post" action="/ui/images/add">
    ${urlField('name', { label: 'Name', value: given('name'), placeholder: 'our-base', help: 'What machines and profiles call it', required: true })}
    ${urlField('source', { label: 'URL', value: given('source'), placeholder: 'https://images.example/base.qcow2', help: 'http, https, file or oci', required: true })}
    ${urlField('checksum', { label: 'Checksum', value: given('checksum'), placeholder: 'sha256:... or https://images.example/SHA256SUMS', help: 'A digest, or the URL of a file with digests', required: false })}
    ${urlField('login_user', { label: 'Login user', value: given('login_user'), placeholder: 'debian', help: 'Whom ssh keys let in', required: false })}
    <div class="field">
      <label for="url-architecture">Architecture</label>
      <select id="url-architecture" name="architecture">
        <option value="">any machine</option>
        ${ARCHITECTURES.map(({ value, label }) => html`<option value="${value}" ${value === given('architecture') ? html`selected` : ''}>${label}</option>`)}
      </select>
    </div>
    ${fetchBox(kind !== 'url' || typed.has('fetch'))} ${adding('url')}
  </form>`;
}

interface OwnField {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly help: string;
  readonly required: boolean;
}

/** Names occur in several forms of the page, and an id only once. */
const urlField = (
  name: string,
  { label, value, placeholder, help, required }: OwnField,
  form = 'url',
): Markup =>
  html`<div class="field">
    <label for="${form}-${name}">${label}</label>
    <input
      id="${form}-${name}"
      name="${name}"
      value="${value}"
      maxlength="2048"
      autocomplete="off"
      placeholder="${placeholder}"
      aria-describedby="${form}-${name}-help"
      ${required ? html`required` : ''}
    />
    <span class="help" id="${form}-${name}-help">${help}</span>
  </div>`;

/** upload.js shows the form and sends it; without JavaScript, only the command line can. */
const uploadForm = (typed: URLSearchParams): Markup =>
  html`<p id="upload-without">
      Uploading from this page needs JavaScript. The command does the same:
      <code>ironic-edge image add NAME --file FILE</code>
    </p>
    <form class="form columns" id="upload-form" method="post" hidden>
      ${urlField('name', { label: 'Name', value: typed.get('name') ?? '', placeholder: 'our-base', help: 'An uploaded image of this name gets the new content', required: true }, 'upload')}
      <div class="field">
        <label for="upload-file">File</label>
        <input type="file" id="upload-file" name="file" required />
      </div>
      ${urlField('checksum', { label: 'Checksum', value: '', placeholder: 'sha256:...', help: 'Refuses a file that has another', required: false }, 'upload')}
      <div class="full" id="upload-state" role="status"></div>
      <div class="buttons full">
        <button class="button primary">Upload</button>
        <button type="button" class="button" id="upload-stop" hidden>Stop</button>
      </div>
    </form>`;
