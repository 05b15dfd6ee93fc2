// The work that this process waits for besides timers: its HTTP requests and the tasks of its worker threads.
import { createHook } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Ending } from './in-process-daemon.ts';

const BEGIN = ['undici:request:create', 'http.client.request.created'];
const END = [
  'undici:request:trailers',
  'undici:request:error',
  'http.client.response.finish',
  'http.client.request.error',
];

interface Sent {
  readonly origin?: string | URL;
  readonly path?: string;
}

const requestIn = (message: unknown) => (message as { readonly request: Sent }).request;

// requests that an agent answers only when a command has ended
const waitsForAgent = ({ path }: Sent) => path?.includes('wait=true') === true;

/** HTTP requests without a complete answer yet, except those for which `isEndless` is true. Watched until the test ends. */
export function requestsInFlight(
  test: Ending,
  isEndless: (request: Sent) => boolean = waitsForAgent,
): { readonly size: number } {
  const requests = new Set<object>();
  const begun = (message: unknown) => {
    const request = requestIn(message);
    if (!isEndless(request)) requests.add(request);
  };
  const ended = (message: unknown) => void requests.delete(requestIn(message));
  for (const name of BEGIN) subscribe(name, begun);
  for (const name of END) subscribe(name, ended);
  test.after(async () => {
    for (const name of BEGIN) unsubscribe(name, begun);
    for (const name of END) unsubscribe(name, ended);
  });
  return requests;
}

/** Tasks of worker threads without a result yet. Watched until the test ends. */
export function threadTasks(test: Ending): { readonly size: number } {
  const tasks = new Set<number>();
  const hook = createHook({
    init(id, type) {
      if (type === 'Piscina.Task') tasks.add(id);
    },
    destroy: (id) => void tasks.delete(id),
  });
  hook.enable();
  test.after(async () => void hook.disable());
  return tasks;
}

/**
 * Resolves when `quiet` was true five times in a row (once is not enough, because a request in transit is briefly visible on
 * neither side), or after it was called 5,000 times.
 */
export async function settled(quiet: () => boolean): Promise<void> {
  let looks = 0;
  // work that waits for the clock never becomes quiet before the clock advances
  for (let all = 0; looks < 5 && all < 5000; all += 1) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    looks = quiet() ? looks + 1 : 0;
  }
}
