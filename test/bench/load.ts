// The client of the benchmark, a process of its own: sends one request after the other on each of its connections and
// prints how many were answered. Plain sockets, so that it costs less than what it measures.
import { connect } from 'node:net';

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  readonly method: 'GET' | 'PATCH';
  /** Asked in turn. */
  readonly paths: readonly string[];
}

export interface LoadResult {
  readonly answers: number;
  readonly seconds: number;
}

function requestBytes({ method, paths }: Load, number: number): string {
  const body = method === 'GET' ? '' : JSON.stringify([{ op: 'add', path: '/extra/number', value: number }]);
  return [
    `${method} ${paths[number % paths.length]} HTTP/1.1`,
    'host: 127.0.0.1',
    'accept: application/json',
    'x-openstack-ironic-api-version: 1.115',
    ...(body === '' ? [] : ['content-type: application/json', `content-length: ${body.length}`]),
    '',
    body,
  ].join('\r\n');
}

/** The length of a whole answer that begins with `bytes`, undefined while its head is not complete. Throws unless it is a 200. */
function answerLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  if (!head.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(`unexpected answer: ${head}`);
  return end + 4 + Number(length);
}

function run(load: Load): Promise<LoadResult> {
  const started = performance.now();
  const end = started + load.seconds * 1000;
  let sent = 0;
  let answers = 0;
  const talk = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(load.port, '127.0.0.1');
      let received: Buffer = Buffer.alloc(0);
      const send = () => socket.write(requestBytes(load, (sent += 1)));
      socket.on('connect', send).on('error', reject);
      socket.on('data', (chunk) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const length = answerLength(received);
        if (length === undefined || received.length < length) return;
        received = Buffer.alloc(0);
        answers += 1;
        if (performance.now() < end) send();
        else {
          socket.destroy();
          resolve();
        }
      });
    });
  return Promise.all(Array.from({ length: load.connections }, talk)).then(() => ({
    answers,
    seconds: (performance.now() - started) / 1000,
  }));
}

console.log(JSON.stringify(await run(JSON.parse(process.argv[2] ?? '') as Load)));
