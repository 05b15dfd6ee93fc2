// The site's own web server: machines fetch an image from it, and deployed instances report to it.
import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { hostInUrl } from '../../../daemon/lib/network/ip.ts';
import { HOST } from './network.ts';

const PORT = 8099;
const POLL_MILLISECONDS = 200;

export class WebServer implements AsyncDisposable {
  readonly reportUrl: string;
  readonly imageUrl: string;
  readonly #image: string;
  readonly #reports: unknown[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  private constructor(image: string, host: string) {
    const url = `http://${hostInUrl(host)}:${PORT}`;
    [this.reportUrl, this.imageUrl] = [`${url}/report`, `${url}/instance.qcow2`];
    this.#image = image;
  }

  /** Serves the file `image` at an address of this host. */
  static async listen(image: string, host: string = HOST): Promise<WebServer> {
    const server = new WebServer(image, host);
    await once(server.#server.listen(PORT, host), 'listening');
    return server;
  }

  /** Takes the oldest report that is left; rejects when none arrives within `seconds`. */
  async takeReport(seconds: number): Promise<unknown> {
    const deadline = performance.now() + seconds * 1000;
    while (this.#reports.length === 0) {
      if (performance.now() > deadline) throw new Error(`no report of the instance within ${seconds} s`);
      await wait(POLL_MILLISECONDS);
    }
    return this.#reports.shift();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'HEAD') {
      response.setHeader('content-length', statSync(this.#image).size).end();
      return;
    }
    if (request.method === 'GET') {
      // a client that disconnects is not a failure of the server
      await pipeline(createReadStream(this.#image), response).catch(() => undefined);
      return;
    }
    this.#reports.push(JSON.parse(await text(request)));
    response.end('{}');
  }
}
