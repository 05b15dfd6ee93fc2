// Keeps the page live: when something changes, fetches the page again and replaces the elements with data-live that differ.

const policy = globalThis.trustedTypes?.createPolicy('fragments', {
  createHTML: (text) => text,
  createScriptURL: (path) => path,
}) ?? { createHTML: (text) => text, createScriptURL: (path) => path };
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
    if (!response.ok || response.redirected) throw new Error(`${response.status}`);
    const fresh = new DOMParser().parseFromString(policy.createHTML(await response.text()), 'text/html');
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
    swap(document.getElementById('problems'), fresh.getElementById('problems'));
    swap(main(), fresh.getElementById('main'));
  } else for (const [index, element] of old.entries()) replaceIfChanged(element, now[index]);
  main().dataset.event = fresh.getElementById('main').dataset.event;
}

/** Returns false, and changes nothing, if a row has come or gone. */
function replaceRows(fresh, nodes) {
  const rows = [...nodes].map((node) => `node-${node}`);
  if (rows.some((id) => (document.getElementById(id) === null) !== (fresh.getElementById(id) === null)))
    return false;
  for (const element of liveIn(fresh)) replaceIfChanged(document.getElementById(element.id), element);
  return true;
}

function replaceIfChanged(element, fresh) {
  if (served.get(element) !== fresh.outerHTML) swap(element, fresh);
}

// the HTML of each element as the service sent it; a browser adds attributes such as `open` to the element itself
const served = new WeakMap();
function remember(root) {
  for (const element of liveIn(root)) served.set(element, element.outerHTML);
}

/** Replaces the element. Keeps what the visitor has done in it: checked boxes, open details, choices, and the focus. */
function swap(element, fresh) {
  const adopted = document.adoptNode(fresh);
  const focus = element.contains(document.activeElement)
    ? pathTo(element, document.activeElement)
    : undefined;
  remember(adopted);
  if (adopted.matches('[data-live]')) served.set(adopted, adopted.outerHTML);
  const ticked = new Set([...element.querySelectorAll('input:checked')].map(({ value }) => value));
  for (const box of adopted.querySelectorAll('input[type=checkbox]')) box.checked = ticked.has(box.value);
  for (const { id } of element.querySelectorAll('details[open][id]'))
    adopted.querySelector(`#${CSS.escape(id)}`)?.setAttribute('open', '');
  for (const { name, value } of element.querySelectorAll('select')) {
    const same = adopted.querySelector(`select[name="${CSS.escape(name)}"]`);
    if (same !== null) same.value = value;
  }
  element.replaceWith(adopted);
  showTails(adopted);
  if (focus !== undefined) followed(adopted, focus)?.focus({ preventScroll: true });
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

function countChosen() {
  const place = document.getElementById('chosen');
  if (place === null) return;
  const count = document.querySelectorAll('#rack input:checked').length;
  place.textContent = count === 0 ? '' : `${count} chosen`;
}

remember(document);
showTails(document);
document.addEventListener('change', countChosen);
const every = Number(document.querySelector('[data-every]')?.dataset.every);
if (every > 0) setInterval(() => void refresh(), every * 1000);
// the page that answers a form cannot be fetched again
if (!('still' in main().dataset)) listen();
