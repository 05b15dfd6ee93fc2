// The thread of the boot HTTP server. It sends the images, so that the API's thread stays free.
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../lib/clock.ts';
import { Links } from '../../lib/network/links.ts';
import { reasonOf } from '../../model/faults.ts';
import type { Served, Withheld } from '../served-files.ts';
import { startBootHttpServer } from './boot-http-server.ts';
import type { FromThread, ThreadSetup, ToThread } from './start-boot-http.ts';

const port = parentPort;
if (port === null) throw new Error('boot-http-thread.ts runs only as a worker thread');
const send = (message: FromThread) => port.postMessage(message, []);

const questions = createQuestions((question, name, client) =>
  send({ kind: 'find', question, name, address: client }),
);

// as in the main thread: an error outside any request must not end the server
process.on('uncaughtException', (error) => send({ kind: 'fault', stack: error.stack ?? error.message }));

const { address, limits } = workerData as ThreadSetup;
const record = (event: (FromThread & { kind: 'event' })['event']) => send({ kind: 'event', event });
const links = new Links(systemClock, (_, missing) => send({ kind: 'missing', missing }));
const started = startBootHttpServer({
  address,
  limits,
  find: questions.ask,
  record,
  clock: systemClock,
  links,
});
started.then(
  ({ url }) => send({ kind: 'listening', url }),
  (error: unknown) => send({ kind: 'failed', reason: reasonOf(error) }),
);

port.on('message', (message: ToThread) => {
  if (message.kind === 'found') {
    questions.answered(message.question, message.served);
  } else {
    links.close();
    // the thread ends by itself once all connections and, after them, the message port to the main thread are closed
    const closed = started.then((server) => server.close()).catch(() => undefined);
    void closed.then(() => port.close());
  }
});

/** Asks the main thread what is served under a name, and passes each answer to the caller that asked the question. */
function createQuestions(put: (question: number, name: string, client: string) => void) {
  const open = new Map<number, (served: Served | Withheld | undefined) => void>();
  let last = 0;
  return {
    ask: (name: string, client: string) =>
      new Promise<Served | Withheld | undefined>((resolve) => {
        last += 1;
        open.set(last, resolve);
        put(last, name, client);
      }),
    answered(question: number, served: Served | Withheld | undefined) {
      open.get(question)?.(served);
      open.delete(question);
    },
  };
}
