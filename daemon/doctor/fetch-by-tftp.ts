// Fetches a file with the TFTP client of the npm package tftp, as firmware does, and prints how that went:
// `fetch-by-tftp.ts ADDRESS PORT NAME`. The doctor runs this as a process of its own: a packet that the package does not expect
// ends only this process.
import { createClient } from 'tftp';

/** What the program prints, as JSON. */
export type Fetched = { readonly bytes: number } | { readonly problem: string };

// the block and window sizes that UEFI firmware asks for
const TERMS = { blockSize: 1468, windowSize: 4, timeout: 1000, retries: 2 };

if (import.meta.main) {
  const [host = '', port = '', name = ''] = process.argv.slice(2);
  let bytes = 0;
  const tell = (fetched: Fetched) => process.stdout.write(JSON.stringify(fetched));
  createClient({ host, port: Number(port), ...TERMS })
    .createGetStream(name)
    .on('data', (chunk) => (bytes += chunk.length))
    .once('end', () => tell({ bytes }))
    .once('error', ({ message }) => tell({ problem: message.replace(/^\(Server\) /, '') }));
}
