// Reads the kickstart template: over HTTP if the instance names one, else from the operator's file, else from the plugin's own.
import { readFile, stat } from 'node:fs/promises';
import { failureReason, fault, HttpClient, type HttpReply, reasonOf, type Task } from '#plugin-api';
import { anacondaOptions } from '../options.ts';
import { templateFlaw } from './kickstart.ts';

const OWN = new URL('ks.cfg.template', import.meta.url).pathname;
const LARGEST_BYTES = 1024 ** 2;
const TIMEOUT_SECONDS = 30;
const TRIES = 3;
const PAUSE_SECONDS = 2;

const wrong = (name: string, reason: string) => fault('InvalidParameter', { name, reason });

/** Throws InvalidParameter when the template cannot be used. For a template at a URL, only the URL is checked. */
export async function checkTemplate(task: Task): Promise<void> {
  if (urlOf(task) === undefined) await fileTemplate(task);
}

/** Returns the text of the template. Throws InvalidParameter, or ImageUnusable when the download fails. */
export async function fetchedTemplate(task: Task): Promise<string> {
  const url = urlOf(task);
  if (url === undefined) return fileTemplate(task);
  const text = await downloaded(task, url);
  const flaw = templateFlaw(text);
  if (flaw !== undefined) throw wrong('instance_info/ks_template', flaw);
  return text;
}

/**
 * Returns the URL in the instance's `ks_template`; undefined when the field is not set. Throws InvalidParameter for anything but
 * an http or https URL, because an API user must not name a file of the daemon's host.
 */
function urlOf({ node: { instance_info: instance } }: Task): string | undefined {
  const { ks_template: given } = instance;
  if (given === undefined || given === null || given === '') return undefined;
  const url = typeof given === 'string' ? URL.parse(given) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  throw wrong(
    'instance_info/ks_template',
    `${JSON.stringify(given)}; expected an http or https URL. A file on the daemon's host is set with [anaconda] default_ks_template`,
  );
}

async function fileTemplate(task: Task): Promise<string> {
  const { default_ks_template: configured } = anacondaOptions(task);
  const file = configured ?? OWN;
  try {
    const { size } = await stat(file);
    if (size > LARGEST_BYTES) throw new Error(`it has ${size} bytes; at most ${LARGEST_BYTES} are read`);
    const text = await readFile(file, 'utf8');
    const flaw = templateFlaw(text);
    if (flaw !== undefined) throw new Error(flaw);
    return text;
  } catch (error) {
    throw wrong(`[anaconda] default_ks_template = ${file}`, reasonOf(error));
  }
}

/** Repeats the request when the server does not answer, or answers with a failure of its own. */
async function downloaded(task: Task, url: string): Promise<string> {
  try {
    for (let tries = 1; ; tries += 1) {
      const isLast = tries === TRIES;
      const reply = await requested(task, url).catch((error: unknown) => {
        if (isLast || task.signal.aborted) throw error;
        return undefined;
      });
      if (reply?.status === 200) return reply.bytes.toString('utf8');
      if (reply !== undefined && (isLast || reply.status < 500))
        throw new Error(`its server answered ${reply.status}`);
      await task.clock.sleep(PAUSE_SECONDS * 1000);
    }
  } catch (error) {
    task.signal.throwIfAborted();
    throw fault(
      'ImageUnusable',
      { image: 'of instance_info/ks_template', reason: failureReason(error) },
      { cause: error },
    );
  }
}

const requested = (task: Task, url: string): Promise<HttpReply> =>
  new HttpClient({ url, clock: task.clock }).send({
    url,
    timeoutSeconds: TIMEOUT_SECONDS,
    largestReplyBytes: LARGEST_BYTES,
    redirects: 5,
    signal: task.signal,
  });
