// The real TFTP server in this process, on a free port, by default of loopback. It serves the files that a test names.
import type { BootEvent } from '../../../daemon/boot/boot-event.ts';
import { createServedFiles, type ServedNames } from '../../../daemon/boot/served-files.ts';
import { startTftpServer, type TftpLimits, type TftpServer } from '../../../daemon/boot/tftp/server.ts';
import type { Clock } from '../../../daemon/lib/clock.ts';
import { createLogger } from '../../../daemon/lib/logger.ts';
import { fakeClock } from '../clock.ts';
import { readByTftp, TftpPeer } from './tftp-peer.ts';
import { steadyLinks } from '../daemon/steady-links.ts';

export interface RunningTftp extends Disposable {
  readonly server: TftpServer;
  /** The first address of the server with its port, such as `127.0.0.1:6969`. */
  readonly address: string;
  readonly events: readonly BootEvent[];
  /** The events' texts, without how long transfers took. */
  readonly texts: readonly string[];
  /** Resolves when everything sent to the server so far has been answered, and the answers have arrived. */
  settled(): Promise<void>;
}

export interface TftpOptions {
  readonly files: ServedNames;
  readonly clock?: Clock;
  readonly limits?: Partial<TftpLimits>;
  readonly addresses?: readonly string[];
}

export async function startTftp({
  files,
  clock = fakeClock(),
  limits = {},
  addresses = ['127.0.0.1'],
}: TftpOptions): Promise<RunningTftp> {
  const table = createServedFiles();
  table.publish('test', files);
  const events: BootEvent[] = [];
  const log = createLogger({ level: 'silent', mask: (fields) => fields });
  const server = await startTftpServer(
    { passed: [], addresses, port: 0 },
    { transfers: 100, transfersPerClient: 100, blockBytes: 1468, ...limits },
    { files: table, record: (event) => void events.push(event), clock, log, links: steadyLinks },
  );
  const [address = ''] = server.addresses;
  return {
    server,
    address,
    events,
    get texts() {
      return events.map(({ text }) => text.replace(/ in \d+\.\d s/, ''));
    },
    async settled() {
      // server and peers share this process, so a request is answered after all earlier packets; file reads take more rounds
      for (let round = 0; round < 5; round += 1) {
        await readByTftp(address, 'no such name').catch(() => {});
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (let at = events.length - 1; at >= 0; at -= 1)
        if (events[at]?.text.startsWith('asked for no such name,') === true) events.splice(at, 1);
    },
    [Symbol.dispose]: () => server.stop(),
  };
}

/** A peer that has sent `request` and taken the first answer. */
export async function askedBy(server: string, request: Buffer, port = 0) {
  const peer = await TftpPeer.open(server, port);
  const first = await peer.ask(request);
  return { peer, first, [Symbol.dispose]: () => peer[Symbol.dispose]() };
}
