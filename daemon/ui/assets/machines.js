// The list of machines: choosing rows, the bar of actions, and rows that change while time goes by.

const form = () => document.getElementById('rack');
const boxes = () => [...form().querySelectorAll('tbody input[name=node]')];
const chosen = () => boxes().filter(({ checked }) => checked);
const WORKING_MILLISECONDS = 10_000;
/** More rows than this are not fetched again while nothing is heard of them. */
const MOST_WORKING = 15;
let last;

/** Shows the bar while something is chosen, and in it only what fits at least one of the chosen machines. */
function tell() {
  const bar = document.getElementById('bulk');
  if (bar === null) return;
  const rows = chosen().map((box) => box.closest('tr'));
  const place = document.getElementById('chosen');
  const isAsked = place.textContent.startsWith('Choose');
  bar.hidden = rows.length === 0 && !isAsked;
  if (rows.length > 0) place.textContent = `${rows.length} chosen`;
  else if (!isAsked) place.textContent = '';
  bar.querySelector('[data-hint]').textContent = rows.length === 0 ? '' : 'Esc to clear';
  offerFitting(bar, rows);
  const all = document.getElementById('choose-all');
  all.checked = rows.length > 0 && rows.length === boxes().length;
  all.indeterminate = rows.length > 0 && !all.checked;
}

function offerFitting(bar, rows) {
  const names = form().dataset.actions.split(' ');
  const masks = rows.map((row) => parseInt(row.dataset.fits, 36));
  for (const button of bar.querySelectorAll('[data-action]')) {
    const bit = 2 ** names.indexOf(button.dataset.action);
    button.disabled = rows.length > 0 && !masks.some((mask) => Math.floor(mask / bit) % 2 === 1);
    button.title = button.disabled ? 'The state of the chosen machines does not allow this.' : '';
  }
}

/** A box at the top of the column chooses all rows that are shown. */
function addChooseAll() {
  const title = form()?.querySelector('thead .c-choose');
  if (title == null || document.getElementById('choose-all') !== null) return;
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.id = 'choose-all';
  box.setAttribute('aria-label', 'Choose all machines that are shown');
  title.replaceChildren(box);
}

/** With Shift, chooses or clears all rows between this box and the one before. */
function chooseTo(box) {
  const all = boxes();
  const [from, to] = [all.indexOf(last), all.indexOf(box)].toSorted((a, b) => a - b);
  if (from >= 0) for (const each of all.slice(from, to + 1)) each.checked = box.checked;
}

document.addEventListener('click', ({ target, shiftKey }) => {
  if (!target.matches?.('#rack tbody input[name=node]')) return;
  if (shiftKey && last !== undefined) chooseTo(target);
  last = target;
  tell();
});
document.addEventListener('change', ({ target }) => {
  if (target.id === 'choose-all') for (const box of boxes()) box.checked = target.checked;
  tell();
});
document.addEventListener('keydown', ({ key, target, defaultPrevented }) => {
  const isElsewhere =
    defaultPrevented || target.closest('dialog') !== null || target.matches('[type=search]');
  if (key !== 'Escape' || isElsewhere || form() === null || chosen().length === 0) return;
  for (const box of chosen()) box.checked = false;
  tell();
});
document.addEventListener('swapped', ({ target }) => {
  if (target.querySelector('#rack') !== null) addChooseAll();
  if (target.matches('main, tr')) tell();
});
setInterval(() => {
  const working = [...document.querySelectorAll('tr[data-works]')].slice(0, MOST_WORKING);
  for (const { id } of working)
    document.dispatchEvent(new CustomEvent('stale', { detail: id.replace('node-', '') }));
}, WORKING_MILLISECONDS);
// a page from the browser's history keeps its boxes checked
globalThis.addEventListener('pageshow', tell);
addChooseAll();
tell();
