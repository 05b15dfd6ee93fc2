// The terminal that shows a machine's serial console. What the machine sends is hostile: of what a terminal can do, only moving,
// colours and modes of the screen are left to it.
import { allowStyles } from './style-sheets.js';
import { FitAddon } from './addon-fit.js';
import { Terminal } from './xterm.js';

const OPTIONS = {
  fontSize: 14,
  scrollback: 10_000,
  cursorBlink: false,
  minimumContrastRatio: 4.5,
  theme: { background: '#0b0e13', foreground: '#d8dee9', cursor: '#d8dee9', selectionBackground: '#3b5b8c' },
};

/** What xterm.js would do for the machine beyond the screen: titles, links, and colours of the palette, which could hide text. */
const REFUSED_COMMANDS = [0, 1, 2, 4, 8, 10, 11, 12, 104, 110, 111, 112];
const refuse = () => true;

/**
 * `typed` gets the bytes of what is typed and pasted, and of what the terminal itself answers to the machine; `pressed` gets those
 * of a key that the visitor presses, before `typed` does.
 */
export async function openTerminal(place, { typed, pressed }) {
  await loadStyles();
  allowStyles();
  const terminal = new Terminal({ ...OPTIONS, fontFamily: getComputedStyle(place).fontFamily });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  for (const command of REFUSED_COMMANDS) terminal.parser.registerOscHandler(command, refuse);
  // questions for the state of the terminal, which it would answer by typing
  for (const intermediates of ['$', '+'])
    terminal.parser.registerDcsHandler({ intermediates, final: 'q' }, refuse);
  terminal.open(place);
  // also when the place is shown for the first time
  new ResizeObserver(() => fit.fit()).observe(place);
  const encoder = new TextEncoder();
  terminal.onKey(({ key }) => pressed(encoder.encode(key)));
  terminal.onData((text) => typed(encoder.encode(text)));
  terminal.onBinary((text) => typed(Uint8Array.from(text, (character) => character.codePointAt(0))));
  return terminal;
}

function loadStyles() {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = new URL('xterm.css', import.meta.url).href;
  document.head.append(link);
  return new Promise((resolve, reject) => {
    link.addEventListener('load', resolve);
    link.addEventListener('error', () => reject(new Error(`${link.href} could not be loaded`)));
  });
}
