// Keeps the page live: when something changes it fetches the page again, and replaces the elements with data-live that differ.

const policy = globalThis.trustedTypes?.createPolicy('fragments', { createHTML: (text) => text }) ?? {
  createHTML: (text) => text,
};
const status = document.getElementById('live');
const REST_MILLISECONDS = 1000;
const BUSY_MILLISECONDS = 5000;

let source;
let isFetching = false;
let isStale = false;
let isFollowing = false;

function say(text) {
  if (status.textContent !== text) status.textContent = text;
  status.classList.toggle('on', text === 'live');
}

/** At most one fetch at a time and one a second, however many events arrive. */
async function refresh() {
  isStale = true;
  if (isFetching || document.hidden) return;
  isFetching = true;
  while (isStale && !document.hidden) {
    isStale = false;
    await fetchPage();
    await new Promise((resolve) => setTimeout(resolve, REST_MILLISECONDS));
  }
  isFetching = false;
}

async function fetchPage() {
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-store' });
    if (!response.ok || response.redirected) throw new Error(`${response.status}`);
    const fresh = new DOMParser().parseFromString(policy.createHTML(await response.text()), 'text/html');
    replaceIn(document, fresh);
  } catch {
    say('reconnecting');
  }
}

const liveIn = (root) => [...root.querySelectorAll('[data-live]')];
const keyOf = (elements) => elements.map(({ id }) => id).join(' ');

function replaceIn(page, fresh) {
  const old = liveIn(page);
  const now = liveIn(fresh);
  if (keyOf(old) !== keyOf(now)) return swap(page.getElementById('main'), fresh.getElementById('main'));
  for (const [index, element] of old.entries())
    if (served.get(element) !== now[index].outerHTML) swap(element, now[index]);
}

// what the service sent for each element: a browser adds attributes such as `open` to it
const served = new WeakMap();
function remember(root) {
  for (const element of liveIn(root)) served.set(element, element.outerHTML);
}

/** Keeps what the visitor has done in the element: checked boxes, open details, typed text, and the focus. */
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
  if (focus !== undefined) followed(adopted, focus)?.focus({ preventScroll: true });
}

function pathTo(root, element) {
  const path = [];
  for (let at = element; at !== root; at = at.parentElement)
    path.unshift([...at.parentElement.children].indexOf(at));
  return path;
}

const followed = (root, path) => path.reduce((at, index) => at?.children[index], root);

/** A hidden tab holds no connection: browsers open only six to one host. */
function listen() {
  source?.close();
  source = undefined;
  // what a form answered is nothing that could be fetched again
  if (document.hidden || 'still' in document.getElementById('main').dataset) return;
  source = new EventSource('/v1/events/stream');
  source.addEventListener('hello', () => say('live'));
  source.addEventListener('reset', () => {
    say('live');
    void refresh();
  });
  source.addEventListener('message', () => void refresh());
  source.addEventListener('error', ({ target }) => {
    say('reconnecting');
    // a browser does not try again after an answer such as 503
    if (target.readyState === EventSource.CLOSED && target === source) setTimeout(listen, BUSY_MILLISECONDS);
  });
}

/** What the daemon sees of a machine on its way is in no event: the timeline answers when there is something new. */
async function followTimeline() {
  if (isFollowing) return;
  isFollowing = true;
  while (!document.hidden) {
    const path = document.querySelector('[data-timeline]')?.dataset.timeline;
    if (path === undefined) break;
    try {
      const response = await fetch(`${path}&wait=25`);
      const { events } = await response.json();
      if (events.length > 0) await refresh();
    } catch {
      say('reconnecting');
    }
    await new Promise((resolve) => setTimeout(resolve, REST_MILLISECONDS));
  }
  isFollowing = false;
}

function countChosen() {
  const place = document.getElementById('chosen');
  if (place === null) return;
  const count = document.querySelectorAll('#rack input:checked').length;
  place.textContent = count === 0 ? '' : `${count} chosen`;
}

remember(document);
document.addEventListener('change', countChosen);
document.addEventListener('visibilitychange', () => {
  listen();
  if (document.hidden) return;
  void refresh();
  void followTimeline();
});
const every = Number(document.querySelector('[data-every]')?.dataset.every);
if (every > 0) setInterval(() => void refresh(), every * 1000);
listen();
void followTimeline();
