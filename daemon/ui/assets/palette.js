// The dialogs of the keyboard: the palette, which finds machines, views and actions, and the help. Loaded when first used.

/** The palette asks what fits at most this many machines. */
const MOST_NODES = 100;

const KEYS = [
  ['/', 'search machines'],
  ['Ctrl K', 'find or do anything'],
  ['g m', 'machines'],
  ['g i', 'images'],
  ['g n', 'network'],
  ['g w', 'work'],
  ['g e', 'events'],
  ['g h', 'health'],
  ['g a', 'add machines'],
  ['Esc', 'close, or choose nothing'],
  ['?', 'this help'],
];

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Shows the dialog; when it closes, the focus returns to where it was. */
function show(dialog) {
  const { activeElement: before } = document;
  document.body.append(dialog);
  dialog.addEventListener('close', () => {
    dialog.remove();
    before?.focus?.({ preventScroll: true });
  });
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
  dialog.showModal();
}

const isOpen = () => document.querySelector('dialog.keys[open]') !== null;

export function openHelp() {
  if (isOpen()) return;
  const rows = KEYS.flatMap(([keys, about]) => [
    element('dt', {}, ...keys.split(' ').map((key) => element('kbd', {}, key))),
    element('dd', {}, about),
  ]);
  const close = element('button', { class: 'button small' }, 'Close');
  const dialog = element(
    'dialog',
    { class: 'keys', 'aria-labelledby': 'keys-title' },
    element('h2', { id: 'keys-title' }, 'Keyboard'),
    element('dl', { class: 'facts' }, ...rows),
    close,
  );
  close.addEventListener('click', () => dialog.close());
  show(dialog);
}

/** The machines that are chosen or shown. */
function subjects() {
  const { node } = document.getElementById('main').dataset;
  if (node !== undefined) return [node];
  return [...document.querySelectorAll('#rack tbody input[name=node]:checked')].map(({ value }) => value);
}

/** Sends the form that the button of the action would send. */
function act(action, nodes) {
  const form = element('form', { method: 'post', action: '/ui/actions', hidden: '' });
  form.append(element('input', { name: 'action', value: action }));
  for (const node of nodes) form.append(element('input', { name: 'node', value: node }));
  document.body.append(form);
  form.submit();
}

function perform({ href, action }, nodes) {
  if (action !== undefined) act(action, nodes);
  else location.assign(href);
}

const NAME = 'A machine, a view or an action';

function paletteParts(hasSubject) {
  const input = element('input', {
    type: 'text',
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'palette-list',
    'aria-autocomplete': 'list',
    'aria-label': NAME,
    placeholder: NAME,
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: '100',
  });
  const about = element('p', { class: 'about' });
  const list = element('ul', { id: 'palette-list', role: 'listbox', 'aria-label': 'What was found' });
  const status = element('p', { class: 'hidden', role: 'status' });
  const attributes = { class: 'keys palette', 'aria-label': 'Find or do anything' };
  const parts = [input, ...(hasSubject ? [about] : []), list, status];
  return { dialog: element('dialog', attributes, ...parts), input, about, list, status };
}

/** The list of what was found. One entry is marked; the focus stays in the field. */
class Options {
  #entries = [];
  #at = 0;
  #parts;
  #chosen;

  /** `chosen`: called with the entry that the visitor chooses. */
  constructor(parts, chosen) {
    this.#parts = parts;
    this.#chosen = chosen;
  }

  show(entries) {
    this.#entries = entries;
    this.#parts.list.replaceChildren(...entries.map((entry, index) => this.#option(entry, index)));
    this.#parts.status.textContent = `${entries.length} found`;
    this.#mark(0);
  }

  #option(entry, index) {
    const { kind, label, detail, loses } = entry;
    const option = element(
      'li',
      { role: 'option', id: `palette-${index}`, 'aria-selected': 'false', class: loses ? 'losing' : '' },
      element('span', { class: 'cut' }, label),
      element('small', {}, detail ?? kind),
    );
    option.addEventListener('click', () => this.#chosen(entry));
    option.addEventListener('pointermove', () => {
      if (this.#at !== index) this.#mark(index);
    });
    return option;
  }

  #mark(next) {
    const { input, list } = this.#parts;
    this.#at = Math.max(0, Math.min(this.#entries.length - 1, next));
    for (const [index, option] of [...list.children].entries())
      option.setAttribute('aria-selected', String(index === this.#at));
    const current = list.children[this.#at];
    current?.scrollIntoView({ block: 'nearest' });
    if (current === undefined) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', current.id);
  }

  pressed(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const entry = this.#entries[this.#at];
    if (Object.hasOwn(steps, event.key)) this.#mark(this.#at + steps[event.key]);
    else if (event.key === 'Enter' && entry !== undefined) this.#chosen(entry);
    else return;
    event.preventDefault();
  }
}

export function openPalette() {
  if (isOpen()) return;
  const nodes = subjects();
  const parts = paletteParts(nodes.length > 0);
  const options = new Options(parts, (entry) => perform(entry, nodes));
  let wanted;

  /** Only the answer to what was typed last is shown. */
  async function look() {
    const query = new URLSearchParams({ q: parts.input.value.trim() });
    for (const node of nodes.slice(0, MOST_NODES)) query.append('node', node);
    const own = query.toString();
    wanted = own;
    try {
      const response = await fetch(`/ui/palette?${own}`, { headers: { accept: 'application/json' } });
      if (!response.ok) throw new Error(`${response.status}`);
      const { subject, entries } = await response.json();
      if (own !== wanted) return;
      parts.about.textContent = subject;
      options.show(entries);
    } catch {
      if (own === wanted) parts.status.textContent = 'The daemon does not answer.';
    }
  }

  parts.input.addEventListener('input', () => void look());
  parts.input.addEventListener('keydown', (event) => options.pressed(event));
  show(parts.dialog);
  parts.input.focus();
  void look();
}
