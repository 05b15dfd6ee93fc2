// Shows the plan while the visitor types: sends the form Deploy, and takes over from the answer the plan, the command line, and
// what each field says. What the visitor types is never touched.
import { parsed } from './page.js';

const REST_MILLISECONDS = 350;

const form = document.getElementById('deploy');
let waiting;
/** Counts the requests: only the answer to the newest one is shown. */
let newest = 0;

function planSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(() => void plan(), REST_MILLISECONDS);
}

async function plan() {
  newest += 1;
  const own = newest;
  const body = new URLSearchParams(new FormData(form));
  body.delete('confirm');
  body.set('do', 'plan');
  try {
    const response = await fetch(form.action, { method: 'POST', headers: { accept: 'text/html' }, body });
    const fresh = parsed(await response.text());
    if (own !== newest) return;
    if (response.ok) takeOver(fresh);
    else say((fresh.getElementById('main') ?? fresh.body).textContent.trim());
  } catch {
    if (own === newest) say('The daemon does not answer; what you see is from before.');
  }
}

function say(text) {
  const place = document.createElement('p');
  place.className = 'notice broken';
  place.textContent = text;
  document.getElementById('plan').replaceChildren(place);
}

function takeOver(fresh) {
  for (const part of document.querySelectorAll('[data-part]'))
    replaceContent(part, fresh.getElementById(part.id));
  for (const control of form.querySelectorAll('[id^="field-"]:is(input, select, textarea)'))
    if (control.name !== 'confirm') describe(control, fresh.getElementById(control.id));
  replaceContent(document.getElementById('field-card-help'), fresh.getElementById('field-card-help'));
}

function replaceContent(old, fresh) {
  if (old === null || fresh === null || old.innerHTML === fresh.innerHTML) return;
  old.replaceChildren(...document.adoptNode(fresh).childNodes);
}

/** Gives the field what the answer says below it: help, and what is wrong. */
function describe(control, fresh) {
  if (fresh === null) return;
  for (const name of ['wrong', 'help']) replaceNote(control, fresh, name);
  for (const name of ['aria-invalid', 'aria-describedby']) {
    const value = fresh.getAttribute(name);
    if (value === null) control.removeAttribute(name);
    else control.setAttribute(name, value);
  }
  addChoices(control, fresh);
  const first = emptyChoice(control);
  if (first !== undefined) first.textContent = emptyChoice(fresh)?.textContent ?? '';
}

function replaceNote(control, fresh, name) {
  const id = `${control.id}-${name}`;
  const [old, now] = [
    document.getElementById(id),
    fresh.closest('.field').querySelector(`#${CSS.escape(id)}`),
  ];
  if (old?.outerHTML === now?.outerHTML) return;
  old?.remove();
  if (now === null) return;
  const adopted = document.adoptNode(now);
  if (name === 'wrong') control.after(adopted);
  else control.closest('.field').append(adopted);
}

/** Adds what can be chosen since the form was made, such as an image that was added in another window. */
function addChoices({ options }, fresh) {
  if (options === undefined) return;
  const known = new Set([...options].map(({ value }) => value));
  for (const { value, text } of fresh.options) if (!known.has(value)) options.add(new Option(text, value));
}

/** The choice of a list that says what an empty field means. */
const emptyChoice = ({ options }) => [...(options ?? [])].find(({ value }) => value === '');

form.addEventListener('input', ({ target }) => {
  if (target.name !== 'confirm') planSoon();
});

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) planSoon();
});

// the plan needs no button now, but Enter in a field still presses it: Enter deploys only where the word is typed
form.querySelector('button[value="plan"]').hidden = true;
form.elements.confirm.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  form.requestSubmit(form.querySelector('button[value="deploy"]'));
});
