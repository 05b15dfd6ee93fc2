// The forms that add machines: shows what the daemon answers below the form, which keeps what was typed, passwords too.
import { parsed } from './page.js';

const MOST_BYTES = 200_000;
const form = document.getElementById('add-bmc') ?? document.getElementById('add-many');
const result = () => document.getElementById('result');
/** Only the answer to the newest request is shown. */
let newest = 0;

function say(text) {
  const place = document.createElement('p');
  place.className = 'notice broken';
  place.setAttribute('role', 'alert');
  place.textContent = text;
  result().replaceChildren(place);
}

function show(page) {
  const answer = page.getElementById('result');
  if (answer === null) say((page.getElementById('main') ?? page.body).textContent.trim());
  else result().replaceChildren(...document.adoptNode(answer).childNodes);
}

async function send(button) {
  newest += 1;
  const own = newest;
  const body = new URLSearchParams(new FormData(form));
  body.set(button.name, button.value);
  form.setAttribute('aria-busy', 'true');
  button.disabled = true;
  const waiting = document.createElement('p');
  waiting.className = 'notice';
  waiting.setAttribute('role', 'status');
  waiting.textContent = 'Asking ...';
  result().replaceChildren(waiting);
  try {
    const response = await fetch(form.action, { method: 'POST', headers: { accept: 'text/html' }, body });
    if (response.redirected) location.assign(response.url);
    else if (own === newest) show(parsed(await response.text()));
  } catch {
    if (own === newest) say('The daemon does not answer. Nothing is known to have been added.');
  } finally {
    button.disabled = false;
    form.removeAttribute('aria-busy');
  }
}

form?.addEventListener('submit', (event) => {
  event.preventDefault();
  const button = event.submitter ?? form.querySelector('button[name=do]');
  if (!button.disabled) void send(button);
});

/** Lets a file be chosen: its text comes into the list. */
function addFileField() {
  const place = document.getElementById('list-file');
  if (place === null) return;
  const label = document.createElement('label');
  label.textContent = 'Or a file';
  label.htmlFor = 'field-file';
  const input = document.createElement('input');
  input.type = 'file';
  input.id = 'field-file';
  input.accept = '.csv,.tsv,.txt,text/csv,text/plain';
  input.addEventListener('change', () => void readFile(input));
  place.replaceChildren(label, input);
}

async function readFile(input) {
  const [file] = input.files;
  if (file === undefined) return;
  if (file.size > MOST_BYTES)
    return say(
      `${file.name} has ${file.size} bytes; expected at most ${MOST_BYTES}: add its machines in parts.`,
    );
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    document.getElementById('field-list').value = text;
    form.querySelector('button[value=check]').click();
  } catch {
    say(`${file.name} is not a text in UTF-8. Save the table as CSV (UTF-8), not as a workbook.`);
  }
}

addFileField();
