// Serves every file of a folder with the daemon's TFTP server, until standard input ends:
// node serve-tftp.ts FOLDER PORT ADDRESS... It prints its addresses, then an event a line.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createServedFiles, type Served } from '../../../daemon/boot/served-files.ts';
import { startTftpServer } from '../../../daemon/boot/tftp/server.ts';
import { systemClock } from '../../../daemon/lib/clock.ts';
import { createLogger } from '../../../daemon/lib/logger.ts';
import { steadyLinks } from '../daemon/steady-links.ts';

const [folder = '', port, ...addresses] = process.argv.slice(2);
const files = createServedFiles();
const paths = readdirSync(folder).map((name): [string, Served] => [
  name,
  { kind: 'file', path: join(folder, name) },
]);
files.publish('folder', Object.fromEntries(paths));
const server = await startTftpServer(
  { passed: [], addresses, port: Number(port) },
  { transfers: 200, transfersPerClient: 200, blockBytes: 1468 },
  {
    files,
    record: ({ text }) => console.log(text),
    clock: systemClock,
    links: steadyLinks,
    log: createLogger({ level: 'warn', mask: (fields) => fields }),
  },
);
console.log(server.addresses.join(' '));
process.stdin.on('end', () => server.stop()).resume();
