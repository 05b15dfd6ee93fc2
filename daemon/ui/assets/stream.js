// A shared worker with the one event stream of all tabs: a browser opens only six connections to one host.
// In a browser without shared workers, each tab runs this file as a worker of its own.

const BUSY_MILLISECONDS = 5000;
const PATH = '/v1/events/stream?timelines=true';

const tabs = new Set();
let source;
let newest;
let isLive = false;

const send = (tab, message) => tab.postMessage(message, []);

function tell(message) {
  for (const tab of tabs) send(tab, message);
}

function open() {
  source = new EventSource(newest === undefined ? PATH : `${PATH}&since=${newest}`);
  source.addEventListener('hello', ({ lastEventId }) => live(lastEventId));
  source.addEventListener('reset', ({ lastEventId }) => {
    live(lastEventId);
    tell({ kind: 'reset' });
  });
  source.addEventListener('message', ({ data, lastEventId }) => {
    newest = Number(lastEventId);
    tell({ kind: 'changed', node: nodeIn(JSON.parse(data)) });
  });
  source.addEventListener('timeline', ({ data }) => tell({ kind: 'seen', nodes: JSON.parse(data).nodes }));
  source.addEventListener('error', ({ target }) => {
    isLive = false;
    tell({ kind: 'lost' });
    // a browser does not try again after an answer such as 503
    if (target.readyState === EventSource.CLOSED && target === source)
      setTimeout(() => target === source && open(), BUSY_MILLISECONDS);
  });
}

function live(id) {
  newest = Number(id);
  isLive = true;
  tell({ kind: 'live', newest });
}

/** The node that an event is about; undefined for an event of another resource. */
function nodeIn({ event_type: type, payload }) {
  if (type.startsWith('hardware.')) return payload.node_uuid;
  return type.startsWith('baremetal.node.') ? payload['ironic_object.data'].uuid : undefined;
}

function join(tab) {
  tab.addEventListener('message', ({ data }) => (data === 'leave' ? leave(tab) : enter(tab)));
  tab.start?.();
}

function enter(tab) {
  tabs.add(tab);
  if (source === undefined) open();
  else if (isLive) send(tab, { kind: 'live', newest });
}

/** Closes the event stream when the last visible tab leaves. */
function leave(tab) {
  tabs.delete(tab);
  if (tabs.size > 0) return;
  source?.close();
  source = undefined;
  isLive = false;
}

if ('onconnect' in globalThis) globalThis.addEventListener('connect', ({ ports: [port] }) => join(port));
else join(globalThis);
