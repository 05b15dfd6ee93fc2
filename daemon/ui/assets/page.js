// Keeps the page live: when something changes, fetches the page again and replaces the elements with data-live that differ.

const policy = globalThis.trustedTypes?.createPolicy('fragments', {
  createHTML: (text) => text,
  createScriptURL: (path) => path,
}) ?? { createHTML: (text) => text, createScriptURL: (path) => path };
/** The document in a text that this service sent; also for the modules of single pages. */
export const parsed = (text) => new DOMParser().parseFromString(policy.createHTML(text), 'text/html');
const status = document.getElementById('live');
const REST_MILLISECONDS = 1000;
const LAZY_MILLISECONDS = 10_000;
/** If more rows than this have changed, the whole page is fetched. */
const MOST_ROWS = 20;

const main = () => document.getElementById('main');
/** The nodes whose rows are stale; `true`: the whole page is. */
let stale = new Set();
let isFetching = false;
let lazily;
let isStreaming = false;
/** Whether a form was sent, such as the one that signs out: its answer replaces the page. */
let isLeaving = false;
/** Whether the last fetch succeeded. */
let isCurrent = true;

function tellStatus() {
  const isLive = isStreaming && isCurrent;
  const text = isLive ? 'live' : 'reconnecting';
  if (status.textContent !== text) status.textContent = text;
  status.classList.toggle('on', isLive);
}

/**
 * Fetches what is stale, then pauses for a second, however many events arrive meanwhile. `node`: only the row of this node is
 * stale; undefined: the whole page is.
 */
async function refresh(node) {
  if (node === undefined || stale === true || stale.size >= MOST_ROWS) stale = true;
  else stale.add(node);
  if (isFetching || document.hidden) return;
  isFetching = true;
  while (stale === true || stale.size > 0) {
    const wanted = stale;
    stale = new Set();
    await fetchPage(wanted);
    await new Promise((resolve) => setTimeout(resolve, REST_MILLISECONDS));
    // without the event stream there is no daemon to ask; the page is fetched again when the stream is back
    if (document.hidden || !isStreaming) break;
  }
  isFetching = false;
}

async function fetchPage(wanted) {
  const url = new URL(location.href);
  if (wanted !== true) for (const node of wanted) url.searchParams.append('changed', node);
  try {
    const response = await fetch(url, { headers: { accept: 'text/html' }, cache: 'no-store' });
    if (isSignIn(response)) return signInAgain();
    if (!response.ok || response.redirected) throw new Error(`${response.status}`);
    const fresh = parsed(await response.text());
    if (wanted === true) replaceAll(fresh);
    else if (!replaceRows(fresh, wanted)) return await fetchPage(true);
    isCurrent = true;
  } catch {
    isCurrent = false;
    stale = true;
  }
  tellStatus();
}

const liveIn = (root) => [...root.querySelectorAll('[data-live]')];
const keyOf = (elements) => elements.map(({ id }) => id).join(' ');

function replaceAll(fresh) {
  const old = liveIn(document);
  const now = liveIn(fresh);
  if (keyOf(old) !== keyOf(now)) {
    for (const element of old.filter((each) => !main().contains(each)))
      replaceIfChanged(element, fresh.getElementById(element.id));
    swap(main(), fresh.getElementById('main'));
  } else for (const [index, element] of old.entries()) replaceIfChanged(element, now[index]);
  main().dataset.event = fresh.getElementById('main').dataset.event;
}

/** Returns false, and changes nothing, if a row has come or gone. */
function replaceRows(fresh, nodes) {
  const rows = [...nodes].map((node) => `node-${node}`);
  if (rows.some((id) => placeOf(document, id) !== placeOf(fresh, id))) return false;
  const elements = liveIn(fresh).map((element) => [document.getElementById(element.id), element]);
  if (elements.some(([old]) => old === null)) return false;
  for (const [old, element] of elements) replaceIfChanged(old, element);
  return true;
}

/** The group in which the row is; undefined if there is no such row. */
const placeOf = (root, id) => {
  const row = root.getElementById(id);
  return row === null ? undefined : (row.dataset.group ?? '');
};

function replaceIfChanged(element, fresh) {
  if (served.get(element) !== fresh.outerHTML) swap(element, fresh);
}

// the HTML of each element as the service sent it; a browser adds attributes such as `open` to the element itself
const served = new WeakMap();
function remember(root) {
  for (const element of liveIn(root)) served.set(element, element.outerHTML);
}

/** Replaces the element. Keeps what the visitor has done in it: checked boxes, open details, choices, texts, and the focus. */
function swap(element, fresh) {
  const adopted = document.adoptNode(fresh);
  const { activeElement: active } = document;
  const focus = element.contains(active) ? pathTo(element, active) : undefined;
  remember(adopted);
  if (adopted.matches('[data-live]')) served.set(adopted, adopted.outerHTML);
  keepGiven(element, adopted);
  element.replaceWith(adopted);
  showTails(adopted);
  adopted.dispatchEvent(new Event('swapped', { bubbles: true }));
  if (focus === undefined) return;
  const same = active.id === '' ? null : adopted.querySelector(`#${CSS.escape(active.id)}`);
  (same ?? followed(adopted, focus))?.focus({ preventScroll: true });
}

const TYPED = 'select, textarea, input:is(:not([type]), [type=text], [type=password])';

/** Gives the new element what the visitor has given the old one. */
function keepGiven(element, adopted) {
  const ticked = new Set([...element.querySelectorAll('input:checked')].map(({ value }) => value));
  for (const box of adopted.querySelectorAll('input[type=checkbox]')) box.checked = ticked.has(box.value);
  for (const { id } of element.querySelectorAll('details[open][id]'))
    adopted.querySelector(`#${CSS.escape(id)}`)?.setAttribute('open', '');
  for (const { name, value } of element.querySelectorAll(TYPED)) {
    const same = adopted.querySelector(`:is(${TYPED})[name="${CSS.escape(name)}"]`);
    if (same !== null) same.value = value;
  }
}

/** Scrolls to the end of each text that grows, such as the console. */
function showTails(root) {
  for (const text of root.querySelectorAll('[data-tail]')) text.scrollTop = text.scrollHeight;
}

function pathTo(root, element) {
  const path = [];
  for (let at = element; at !== root; at = at.parentElement)
    path.unshift([...at.parentElement.children].indexOf(at));
  return path;
}

const followed = (root, path) => path.reduce((at, index) => at?.children[index], root);

/** Handles the messages of the worker that reads the event stream. */
const heard = {
  live({ newest }) {
    isStreaming = true;
    tellStatus();
    // the last fetch failed, or something changed after this page was made and before the stream was open
    if (!isCurrent || newest > Number(main().dataset.event)) void refresh();
  },
  lost() {
    isStreaming = false;
    tellStatus();
    void leaveWhenSignedOut();
  },
  reset: () => void refresh(),
  changed({ node }) {
    const { rows, node: own } = main().dataset;
    if (own === undefined && rows === undefined) return void refresh();
    if (own !== undefined) return node === own ? void refresh() : refreshLater();
    if (node !== undefined) void refresh(node);
  },
  seen({ nodes }) {
    const { rows, timelines, node: own } = main().dataset;
    if (timelines !== undefined || nodes.includes(own)) void refresh();
    // the step that runs on a machine is in its row, and no event tells of it
    if (rows !== undefined)
      for (const node of nodes) if (document.getElementById(`node-${node}`) !== null) void refresh(node);
  },
};

/** The stream does not say why it ended. When the session has ended, the page gives way to the one for signing in. */
async function leaveWhenSignedOut() {
  if (isLeaving) return;
  const answer = await fetch('/ui/sessions', { cache: 'no-store' }).catch(() => undefined);
  if (answer?.status === 401) signInAgain();
}

/** Whether the service answers that the session has ended; browsers that do not say what asks are sent to the page for signing in. */
const isSignIn = (answer) => answer.status === 401 || answer.url.includes('/ui/login');

function signInAgain() {
  if (!isLeaving) location.reload();
}

/** Fetches the page some seconds later, after an event of another machine: such an event changes only the head of the page. */
function refreshLater() {
  lazily ??= setTimeout(() => {
    lazily = undefined;
    void refresh();
  }, LAZY_MILLISECONDS);
}

function listen() {
  const path = policy.createScriptURL(document.body.dataset.stream);
  const worker = globalThis.SharedWorker === undefined ? new Worker(path) : new SharedWorker(path);
  const stream = worker.port ?? worker;
  stream.addEventListener('message', ({ data }) => heard[data.kind](data));
  stream.start?.();
  const tell = (isSeen) => stream.postMessage(isSeen ? 'enter' : 'leave', []);
  document.addEventListener('visibilitychange', () => {
    tell(!document.hidden);
    if (!document.hidden) void refresh();
  });
  globalThis.addEventListener('pagehide', () => tell(false));
  // a page from the browser's back/forward cache is stale
  globalThis.addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    tell(true);
    void refresh();
  });
  if (!document.hidden) tell(true);
}

/** Closes open menus, but not one that contains the element. */
function closeMenus(element) {
  for (const open of document.querySelectorAll('details.menu[open]'))
    if (!open.contains(element)) open.removeAttribute('open');
}

document.addEventListener('click', ({ target }) => closeMenus(target));
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    const open = document.querySelector('details.menu[open]');
    closeMenus(null);
    open?.querySelector('summary').focus();
    // this press is used up
    if (open !== null) event.preventDefault();
  }
});

document.addEventListener('stale', ({ detail }) => void refresh(detail));

remember(document);
showTails(document);
document.addEventListener('submit', () => void (isLeaving = true));
const every = Number(document.querySelector('[data-every]')?.dataset.every);
if (every > 0) setInterval(() => void refresh(), every * 1000);
// the page that answers a form cannot be fetched again
if (!('still' in main().dataset)) listen();
