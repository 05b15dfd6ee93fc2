// The client of the benchmarks, a separate process: reads a Load as JSON from stdin, sends one request after the other on
// each of its connections, and prints a LoadResult as JSON. Plain sockets keep its own cost low.
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  /** `$N` is replaced by the number of the request. */
  readonly body?: string;
}

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** Not set: each request is sent once. Set: the list is sent again and again for this time. */
  readonly seconds?: number;
  readonly requests: readonly LoadRequest[];
  readonly status: number;
}

export interface LoadResult {
  readonly answers: number;
  /** How many answers came from a busy server; each of these requests was sent again. */
  readonly repeated: number;
  readonly seconds: number;
}

// Answers of a busy server, such as Ironic with SQLite: the request is repeated, as clients do
const BUSY = new Set([409, 500, 503]);

function requestBytes({ method, path, body: template = '' }: LoadRequest, number: number): string {
  const body = template.replaceAll('$N', String(number));
  return [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'accept: application/json',
    'x-openstack-ironic-api-version: latest',
    ...(body === '' && method === 'GET'
      ? []
      : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n');
}

interface Head {
  readonly status: number;
  readonly length: number;
}

/** The status and the length of the whole answer; undefined until its head is complete. */
function headOf(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  const length = /^content-length: (\d+)\r?$/im.exec(head)?.[1];
  if (length === undefined && status !== 204) throw new Error(`an answer without a length: ${head}`);
  return { status, length: end + 4 + Number(length ?? 0) };
}

interface Course {
  readonly judge: (status: number, sent: string) => boolean;
  readonly next: () => string | undefined;
}

/**
 * Sends `first` and then what `next` returns over one connection, until `next` returns undefined or the server closes the
 * connection. Resolves to the request that the server left unanswered, if any.
 */
function converse(port: number, first: string, { judge, next }: Course): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let waiting: string = first;
    let chunks: Buffer[] = [];
    let received = 0;
    let head: Head | undefined;
    const answered = (status: number) => {
      const following = judge(status, waiting) ? next() : waiting;
      [chunks, received, head] = [[], 0, undefined];
      if (following === undefined) {
        socket.destroy();
        resolve(undefined);
      } else {
        waiting = following;
        socket.write(waiting);
      }
    };
    socket.on('connect', () => socket.write(waiting)).on('error', reject);
    socket.on('end', () => resolve(waiting));
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (head === undefined) {
        chunks.push(chunk);
        head = headOf(Buffer.concat(chunks));
      }
      if (head === undefined || received < head.length) return;
      try {
        answered(head.status);
      } catch (error) {
        socket.destroy();
        reject(error);
      }
    });
  });
}

async function run(load: Load): Promise<LoadResult> {
  const { requests, seconds } = load;
  const started = performance.now();
  const isOver = (sent: number) =>
    seconds === undefined ? sent >= requests.length : performance.now() - started >= seconds * 1000;
  const count = { sent: 0, answers: 0, repeated: 0 };
  const next = (): string | undefined => {
    const request = requests[count.sent % requests.length];
    return request === undefined || isOver(count.sent) ? undefined : requestBytes(request, (count.sent += 1));
  };
  // true: answered as expected; false: to be repeated
  const judge = (status: number, sent: string): boolean => {
    if (status !== load.status && !BUSY.has(status)) throw new Error(`${status} answers ${sent}`);
    if (status === load.status) count.answers += 1;
    else count.repeated += 1;
    return status === load.status;
  };
  const talk = async () => {
    let waiting = next();
    while (waiting !== undefined) waiting = await converse(load.port, waiting, { judge, next });
  };
  await Promise.all(Array.from({ length: load.connections }, talk));
  const { answers, repeated } = count;
  return { answers, repeated, seconds: (performance.now() - started) / 1000 };
}

console.log(JSON.stringify(await run((await json(process.stdin)) as Load)));
