// The keyboard of every page: keys that lead to views, and those that open a dialog.

/** The links that the key after `g` follows. */
const GOES = { m: '', i: 'images', n: 'network', w: 'work', e: 'events', h: 'health', a: 'add' };
const LETTER_MILLISECONDS = 1500;
const TYPING = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], .xterm *';
let goesUntil = 0;

/** The dialogs are in a module of their own, which is loaded when one is first used. */
async function openDialog(name) {
  const dialogs = await import('./palette.js');
  dialogs[name]();
}

/** What each key does for a visitor who does not type. */
const DOES = {
  '?': () => void openDialog('openHelp'),
  '/': () => document.querySelector('.search input').focus(),
};

const isPalette = ({ key, ctrlKey, metaKey, altKey }) =>
  (ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k';

document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (isPalette(event)) {
    event.preventDefault();
    void openDialog('openPalette');
  } else if (target.matches(TYPING) || ctrlKey || metaKey || altKey) return;
  else if (Object.hasOwn(DOES, key)) {
    event.preventDefault();
    DOES[key]();
  } else followLetter(key, event.timeStamp);
});

function followLetter(key, now) {
  if (key === 'g') goesUntil = now + LETTER_MILLISECONDS;
  else if (now < goesUntil && Object.hasOwn(GOES, key)) {
    goesUntil = 0;
    const place = `/ui/${GOES[key]}`;
    const isView = [...document.querySelectorAll('.views a')].some(
      (link) => link.getAttribute('href') === place,
    );
    if (isView) location.assign(place);
  }
}

const button = document.getElementById('palette');
button?.classList.add('on');
button?.addEventListener('click', () => void openDialog('openPalette'));
