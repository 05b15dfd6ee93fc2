// Uploads a file as an image, with progress. If the upload fails, is stopped, or the page is left, nothing of it stays: neither
// the content, nor a record that it has added.

const form = document.getElementById('upload-form');
const stop = document.getElementById('upload-stop');
const state = document.getElementById('upload-state');
/** The upload that is under way: its request, and the place of the record if it is new. */
let running;

const placeOf = (name) => `/v1/images/${encodeURIComponent(name)}`;

/** The sentence in the API's error document, which is JSON inside JSON. */
function reasonIn(text) {
  try {
    return JSON.parse(JSON.parse(text).error_message).faultstring;
  } catch {
    return text;
  }
}

async function refusedBy(response) {
  return reasonIn(await response.text()) || `the daemon answered ${response.status}`;
}

/** Resolves to whether the record is new. Throws an Error with the API's reason. */
async function addRecord(name) {
  const found = await fetch(placeOf(name), { cache: 'no-store' });
  if (found.ok) return false;
  if (found.status !== 404) throw new Error(await refusedBy(found));
  const body = JSON.stringify({ name, source: 'upload:' });
  const created = await fetch('/v1/images', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  if (!created.ok) throw new Error(await refusedBy(created));
  return true;
}

/** Sends the file. Resolves to the image; rejects with an Error that says why not. */
function sendFile(name, file, checksum) {
  const request = new XMLHttpRequest();
  const query = checksum === '' ? '' : `?checksum=${encodeURIComponent(checksum)}`;
  request.open('PUT', `${placeOf(name)}/file${query}`);
  request.setRequestHeader('content-type', 'application/octet-stream');
  running.request = request;
  request.upload.addEventListener('progress', ({ loaded, total }) => showProgress(loaded, total));
  return new Promise((resolve, reject) => {
    const fail = (text) => reject(new Error(text));
    request.addEventListener('load', () =>
      request.status === 200
        ? resolve(JSON.parse(request.responseText))
        : fail(reasonIn(request.responseText) || `the daemon answered ${request.status}`),
    );
    request.addEventListener('error', () => fail('the connection broke; nothing was kept. Try it again'));
    request.addEventListener('abort', () => fail('stopped; nothing was kept'));
    request.send(file);
  });
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

function showProgress(loaded, total) {
  const bar = state.querySelector('progress') ?? document.createElement('progress');
  bar.max = total;
  bar.value = loaded;
  bar.setAttribute('aria-label', 'Upload');
  const text =
    loaded < total ? `${megabytes(loaded)} of ${megabytes(total)}` : 'sent; the daemon checks what it is';
  state.replaceChildren(bar, ` ${text}`);
}

function showRefusal(text) {
  const place = document.createElement('p');
  place.className = 'notice broken';
  place.setAttribute('role', 'alert');
  place.textContent = text;
  state.replaceChildren(place);
}

async function upload() {
  const { name, checksum, file } = form.elements;
  const [image, content] = [name.value.trim(), file.files[0]];
  running = { place: undefined, request: undefined };
  stop.hidden = false;
  try {
    if (await addRecord(image)) running.place = placeOf(image);
    showProgress(0, content.size);
    const { uuid } = await sendFile(image, content, checksum.value.trim());
    running = undefined;
    location.assign(`/ui/images/${encodeURIComponent(uuid)}`);
  } catch (error) {
    await forget();
    showRefusal(error.message);
  }
  stop.hidden = true;
}

/** Deletes the record that the upload has added. `keepalive`: the request outlives the page. */
async function forget() {
  const place = running?.place;
  running = undefined;
  if (place !== undefined) await fetch(place, { method: 'DELETE', keepalive: true }).catch(() => undefined);
}

document.getElementById('upload-without').hidden = true;
form.hidden = false;
form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (running === undefined) void upload();
});
stop.addEventListener('click', () => running?.request?.abort());
globalThis.addEventListener('pagehide', () => void forget());
