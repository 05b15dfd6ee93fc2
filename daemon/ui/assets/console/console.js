// The tab Console of a machine: attaches a terminal to the serial console over the WebSocket of the API. It begins by looking
// on. Whoever may type does so from the first key on or, while somebody else types, after a click on "Take over".
import { openTerminal } from './terminal.js';

const LONGEST_PAUSE_SECONDS = 30;
/** The daemon takes messages of up to 64 KiB. */
const LARGEST_MESSAGE = 16_384;

const root = document.getElementById('console');
const part = (name) => document.getElementById(`console-${name}`);
const { node } = root.dataset;
const mayType = 'mayType' in root.dataset;

let socket;
let isTyping = false;
/** Whether the terminal has shown what was there before; what it answers to that is for nobody. */
let isCurrent = false;
/** Who types, as the daemon says; null: nobody. */
let typist = null;
/** The keys that were pressed before the connection for them was there. */
let waiting = [];
let pauseSeconds = 1;
let retry;

const terminal = await openTerminal(part('terminal'), { typed, pressed });
terminal.attachCustomKeyEventHandler(isForMachine);

/** Shows the text; without one, what can be done now. */
function showState(text = stateText()) {
  const isTaken = typist !== null && !isTyping;
  part('take').hidden = !mayType || isTyping || socket === undefined;
  part('take').textContent = isTaken ? 'Take over' : 'Type';
  for (const name of ['stop', 'size']) part(name).hidden = !isTyping;
  terminal.options.disableStdin = !isTyping;
  terminal.options.cursorBlink = isTyping;
  if (part('state').textContent !== text) part('state').textContent = text;
}

function stateText() {
  if (isTyping) return 'You type on this console.';
  if (typist !== null) return `${typist} types on this console, and you look on.`;
  return mayType ? 'Connected. Press a key in the console to type.' : 'Connected. You may look on.';
}

/** Shows why the visitor cannot type any more, until the visitor types again. */
function showNotice(text) {
  part('notice').textContent = text;
  part('notice').hidden = text === '';
}

/** Opens a new connection, to look on, to type, or to take over; the earlier one ends once the new one is open. */
function connect(how) {
  clearTimeout(retry);
  const url = new URL(`/v1/nodes/${node}/states/console/socket?screen=true`, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  if (how === 'look') url.searchParams.set('read_only', 'true');
  if (how === 'take') url.searchParams.set('take_over', 'true');
  const opened = new WebSocket(url);
  const earlier = socket;
  socket = opened;
  isCurrent = false;
  opened.binaryType = 'arraybuffer';
  opened.addEventListener('open', () => {
    earlier?.close();
    pauseSeconds = 1;
    for (const name of ['text', 'enable']) part(name).hidden = true;
    for (const name of ['terminal', 'tools']) part(name).hidden = false;
    isTyping = how !== 'look';
    if (isTyping) showNotice('');
    showState();
  });
  let isFirst = true;
  opened.addEventListener('message', ({ data }) => {
    if (socket !== opened) return;
    if (typeof data === 'string') return heard(JSON.parse(data));
    if (isFirst) terminal.reset();
    terminal.write(new Uint8Array(data), isFirst ? () => becomeCurrent(opened) : undefined);
    isFirst = false;
  });
  opened.addEventListener('close', ({ code, reason }) => {
    if (socket === opened) lost(code, reason);
  });
}

function becomeCurrent(opened) {
  if (socket !== opened) return;
  isCurrent = true;
  if (isTyping) for (const bytes of waiting.splice(0)) typed(bytes);
}

function heard({ line, name, reason }) {
  if (line === 'typist') typist = name;
  showState(line === 'lost' ? `The BMC has ended the connection: ${reason} It is made again.` : undefined);
}

/** The daemon has ended the connection, or it could not be made. */
function lost(code, reason) {
  const wasTyping = isTyping;
  socket = undefined;
  isTyping = false;
  waiting = [];
  if (wasTyping && code === 1008) {
    showNotice(reason);
    return connect('look');
  }
  tryLater(reason === '' ? 'The console cannot be reached now.' : reason);
}

/** Says what is wrong, and tries again after a pause. */
function tryLater(reason) {
  showState(`${reason} Trying again every ${pauseSeconds} s.`);
  retry = setTimeout(() => void attach(), pauseSeconds * 1000);
  pauseSeconds = Math.min(pauseSeconds * 2, LONGEST_PAUSE_SECONDS);
}

function start() {
  if ('serial' in root.dataset) void attach();
}

/** Looks on as soon as the console is enabled. */
async function attach() {
  const refusal = await refusalOf();
  if (refusal === undefined) connect('look');
  else tryLater(refusal);
}

/** Resolves to why the console cannot be looked at; undefined if nothing is known against it. */
async function refusalOf() {
  try {
    const answer = await fetch(`/v1/nodes/${node}/states/console`, { cache: 'no-store' });
    if (!answer.ok) return `The daemon answers ${answer.status}.`;
    const { console_enabled: isEnabled, console_info: info } = await answer.json();
    // the BMC shows the screen: the page that the daemon makes now links to it, and this one has nothing to connect to
    if (/^https?:/.test(info?.url)) {
      location.reload();
      return new Promise(() => {});
    }
    part('enable').hidden = isEnabled;
    return isEnabled ? undefined : 'The console is disabled.';
  } catch {
    return 'The daemon does not answer.';
  }
}

function typed(bytes) {
  if (!isTyping || !isCurrent) return;
  for (let at = 0; at < bytes.length; at += LARGEST_MESSAGE)
    socket.send(bytes.subarray(at, at + LARGEST_MESSAGE));
}

/** The first key makes the connection for typing; it and the following ones are typed when that is there. */
function pressed(bytes) {
  if (isTyping ? isCurrent : !mayType || typist !== null || socket === undefined) return;
  waiting.push(bytes);
  if (waiting.length === 1 && !isTyping) connect('type');
}

/** Tab leaves the terminal while the visitor only looks on; Ctrl+Shift+E always does. */
function isForMachine(event) {
  const isExit = event.ctrlKey && event.shiftKey && event.code === 'KeyE';
  if (isExit && event.type === 'keydown') part('copy').focus();
  if (isExit) event.preventDefault();
  return !isExit && (isTyping || event.key !== 'Tab');
}

/** Copies the selected text or, if none is, all of it. Works on pages without TLS too, where browsers offer no clipboard. */
function copyText() {
  if (!terminal.hasSelection()) terminal.selectAll();
  const text = document.createElement('textarea');
  text.value = terminal.getSelection();
  document.body.append(text);
  text.select();
  document.execCommand('copy');
  text.remove();
  terminal.clearSelection();
  part('copy').focus();
}

part('take').addEventListener('click', () => {
  connect(typist === null ? 'type' : 'take');
  terminal.focus();
});
part('stop').addEventListener('click', () => connect('look'));
part('copy').addEventListener('click', copyText);
// a serial line does not carry the size of a window, so the shell is told by the command that people type for this
part('size').addEventListener('click', () => {
  typed(new TextEncoder().encode(`stty rows ${terminal.rows} cols ${terminal.cols}\r`));
  terminal.focus();
});
globalThis.addEventListener('pagehide', () => socket?.close());
globalThis.addEventListener('pageshow', ({ persisted }) => persisted && start());
start();
