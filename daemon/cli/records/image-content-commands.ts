// `ironic-edge image fetch`, `update`, `verify` and `delete`: what the daemon keeps of the images of the catalogue.
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { visibleLine } from '../../lib/plain-text.ts';
import { type ApiClient, createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { type CommandContext, commandOf, FLAG } from '../command.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { eventReader } from '../nodes/act/wait/event-reader.ts';
import { cellText } from '../text-table.ts';
import { UPLOADED } from '../../model/instance/image.ts';
import type { Output } from '../output.ts';

const MEBIBYTE = 1_048_576;
const CLEARED = '\r\u001B[K';

export const pathOfImage = (image: string): string => `/v1/images/${encodeURIComponent(image)}`;

export const fetchCommand = commandOf({
  usage: `usage: ironic-edge image fetch IMAGE...

Has the daemon fetch images, one after the other, and waits: each is verified with its checksum, and kept for deployments. Of an
image that is ready, fetches what its source and its checksum file say now. Shows the progress on a terminal.

${ENVIRONMENT_HELP}`,
  options: {},
  positionals: [],
  rest: 'IMAGE',
  run: ({ rest }, context) => fetchAll(createApiClient(context.environment), rest, context),
});

export const updateCommand = commandOf({
  usage: `usage: ironic-edge image update [IMAGE...]

Does what "ironic-edge image fetch" does; without IMAGE, for every image that is ready and has a source. New deployments get the
new content. A rebuild uses the content that the machine runs, if the daemon serves its copy to the machine.

${ENVIRONMENT_HELP}`,
  options: {},
  positionals: [],
  rest: 'IMAGE',
  isRestOptional: true,
  async run({ rest }, context) {
    const api = createApiClient(context.environment);
    if (rest.length > 0) return fetchAll(api, rest, context);
    const images = await api.list('/v1/images?fields=name,state,source', 'images');
    const ready = images
      .filter(({ state, source }) => state === 'ready' && source !== UPLOADED)
      .map(({ name }) => cellText(name));
    if (ready.length === 0) context.stdout.write('no image with a source is ready: nothing to do\n');
    return fetchAll(api, ready, context);
  },
});

export const verifyCommand = commandOf({
  usage: `usage: ironic-edge image verify IMAGE...

Reads what the daemon keeps of the images, and compares it with the SHA-256. A damaged copy is removed; fetch the image again.

${ENVIRONMENT_HELP}`,
  options: {},
  positionals: [],
  rest: 'IMAGE',
  async run({ rest }, { environment, stdout }) {
    const api = createApiClient(environment);
    let isGood = true;
    for (const name of rest) {
      const image = await api.post(`${pathOfImage(name)}/verify`, null);
      isGood &&= image['state'] === 'ready';
      stdout.write(
        `${name}: ${image['state'] === 'ready' ? 'its copy is good' : cellText(image['error'])}\n`,
      );
    }
    return isGood ? 0 : exitCodes.failed;
  },
});

export const deleteCommand = commandOf({
  usage: `usage: ironic-edge image delete IMAGE... [--force]

Deletes one or more images, in the given order, with what the daemon keeps of them and no machine runs. Stops at the first
image that the daemon refuses to delete.

  --force                  also delete an image that machines run or name; they cannot be deployed with it any more
${ENVIRONMENT_HELP}`,
  options: { force: FLAG },
  positionals: [],
  rest: 'IMAGE',
  async run({ values, rest }, { environment }) {
    const api = createApiClient(environment);
    for (const name of rest)
      await api.request('DELETE', `${pathOfImage(name)}${values.force ? '?force=true' : ''}`);
    return 0;
  },
});

/** Goes on after an image that cannot be fetched. */
async function fetchAll(api: ApiClient, names: readonly string[], context: CommandContext): Promise<number> {
  let isDone = true;
  for (const name of names) {
    const line = await fetchOne(api, name, context);
    isDone &&= line.isDone;
    context[line.isDone ? 'stdout' : 'stderr'].write(`${name}: ${line.text}\n`);
  }
  return isDone ? 0 : exitCodes.failed;
}

interface Outcome {
  readonly isDone: boolean;
  readonly text: string;
}

async function fetchOne(api: ApiClient, name: string, { stderr }: CommandContext): Promise<Outcome> {
  const before = await shown(api, name);
  await api.request('POST', `${pathOfImage(name)}/fetch`);
  const onEvent = async (event: JsonObject) => {
    if (event['state'] === 'fetching') showProgress(stderr, name, event);
  };
  await api.follow(`${pathOfImage(name)}/fetch`, eventReader(onEvent), new AbortController().signal);
  endProgress(stderr);
  return outcomeOf(name, before, await shown(api, name));
}

async function shown(api: ApiClient, name: string): Promise<JsonObject> {
  const { body } = await api.request('GET', pathOfImage(name));
  return isJsonObject(body) ? body : {};
}

/** Draws how far the content has come, on a terminal. `total`: null if it is not known. */
export function showProgress({ terminal }: Output, name: string, progress: JsonObject): void {
  terminal?.draw(CLEARED + visibleLine(progressText(name, progress)).slice(0, terminal.columns - 1));
}

export const endProgress = ({ terminal }: Output): void => void terminal?.draw(CLEARED);

function progressText(name: string, { bytes, total }: JsonObject): string {
  const so = Number(bytes);
  if (typeof total !== 'number') return `  ${name}: ${mebibytes(so)}`;
  return `  ${name}: ${mebibytes(so)} of ${mebibytes(total)}, ${Math.floor((so / total) * 100)} %`;
}

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / MEBIBYTE)} MiB`;

export const readyText = ({ sha256 = null, bytes = null }: JsonObject): string =>
  `ready, ${mebibytes(Number(bytes))}, sha256 ${cellText(sha256)}`;

function outcomeOf(name: string, before: JsonObject, after: JsonObject): Outcome {
  const { state, error, sha256 } = after;
  if (state === 'fetching')
    throw new CommandFailure(
      `${name}: the daemon stopped, and continues the fetch when it starts. "ironic-edge image show ${name}" shows its state`,
      exitCodes.failed,
    );
  if (typeof error === 'string') {
    const kept = state === 'ready' ? '; the earlier content stays' : '';
    return { isDone: false, text: `${error}${kept}` };
  }
  if (before['state'] === 'ready' && before['sha256'] === sha256)
    return { isDone: true, text: `nothing to do, its source still has sha256 ${cellText(sha256)}` };
  return { isDone: true, text: readyText(after) };
}
