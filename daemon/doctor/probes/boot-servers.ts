// Probes of the TFTP and HTTP boot servers of a running daemon: ask the servers for a boot loader, as the firmware of a machine
// does.
import { execFile, type ExecFileException } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findLoaders } from '../../boot/loaders.ts';
import type { Fetched } from '../fetch-by-tftp.ts';
import { type ProbeFinding, type Probe, type ExaminedSite, unless } from '../probe.ts';
import { whyUnreachable } from './boot.ts';
import { isServing } from './listeners.ts';
import { hostInUrl } from '../../lib/network/ip.ts';

/** Less than the doctor's limit for a probe, so that the reason is known when it ends. */
const FETCH_MILLISECONDS = 4500;

export const bootServerProbes: readonly Probe[] = [
  {
    id: 'tftp',
    about: 'whether the TFTP server of a running daemon sends a boot loader',
    async run(site) {
      const { enabled, addresses, port } = site.config.tftp_server;
      const loader = loaderOf(site);
      if (!enabled || port === 0 || loader === undefined || !(await isServing(site))) return [];
      const found = await Promise.all(
        addresses.map(async (address): Promise<readonly ProbeFinding[]> => {
          const problem = await tftpProblem({ address, port, ...loader }, site.signal);
          return unless(problem === undefined, () => ({
            severity: 'error',
            saw: `TFTP at ${address} port ${port} does not send ${loader.name}: ${problem}`,
            means: 'machines whose firmware boots by PXE stop after DHCP',
            fix: `ss -lunp 'sport = :${port}'; if nothing listens, enable ironic-edge-tftp@.socket; otherwise correct the firewall`,
          }));
        }),
      );
      return found.flat();
    },
  },
  {
    id: 'boot-http',
    about:
      'whether the HTTP boot server of a running daemon sends a boot loader at the URL that machines are told',
    async run(site) {
      const url = bootUrlOf(site);
      const name = loaderOf(site)?.name;
      if (url === undefined || name === undefined || !(await isServing(site))) return [];
      const problem = await whyUnreachable(`${url.replace(/\/$/, '')}/${name}`, site.signal);
      return unless(problem === undefined, () => ({
        severity: 'error',
        saw: `${url} does not send ${name}: ${problem}`,
        means: 'machines stop after their boot loader, and get neither kernel nor image',
        fix: `curl -I ${url.replace(/\/$/, '')}/${name}; correct [boot_http] or [deploy] http_url`,
      }));
    },
  },
];

interface Loader {
  readonly name: string;
  /** The size of the file; undefined when it cannot be read here. */
  readonly bytes: number | undefined;
}

/** A boot loader of [pxe] loader_file_paths, or else of the host's packages; undefined if there is none. */
function loaderOf({ config }: ExaminedSite): Loader | undefined {
  const [configured] = config.pxe.loader_file_paths;
  const [name, file] = configured?.split(/:(.*)/s, 2) ?? packagedLoader();
  if (name === undefined || file === undefined) return undefined;
  return { name, bytes: statSync(file, { throwIfNoEntry: false })?.size };
}

function packagedLoader(): readonly string[] {
  const [loader] = Object.entries(findLoaders().found);
  return loader?.[1].kind === 'file' ? [loader[0], loader[1].path] : [];
}

/** The URL of the HTTP boot server; undefined when the server is off, or when only the daemon knows its port. */
function bootUrlOf({ config }: ExaminedSite): string | undefined {
  const { port, host_ip: host } = config.boot_http;
  if (port === null) return undefined;
  if (config.deploy.http_url !== null) return config.deploy.http_url;
  if (port === 0) return undefined;
  const address = host === '0.0.0.0' || host === '::' ? config.DEFAULT.my_ip : host;
  return `http://${hostInUrl(address)}:${port}`;
}

interface TftpFile extends Loader {
  readonly address: string;
  readonly port: number;
}

const FETCH = fileURLToPath(new URL('../fetch-by-tftp.ts', import.meta.url));

/** Resolves to undefined when the whole file arrives, else to the reason why it does not. */
async function tftpProblem(
  { address, port, name, bytes }: TftpFile,
  signal: AbortSignal,
): Promise<string | undefined> {
  const fetched = await new Promise<Fetched>((resolve) => {
    const limits = { signal, timeout: FETCH_MILLISECONDS, killSignal: 'SIGKILL' } as const;
    execFile(process.execPath, [FETCH, address, String(port), name], limits, (error, stdout) =>
      resolve(fetchedFrom(stdout) ?? { problem: endOf(error) }),
    );
  });
  if ('problem' in fetched) return fetched.problem;
  return fetched.bytes === (bytes ?? fetched.bytes)
    ? undefined
    : `${fetched.bytes} bytes arrive, but the file has ${bytes}`;
}

const fetchedFrom = (stdout: string): Fetched | undefined =>
  stdout === '' ? undefined : (JSON.parse(stdout) as Fetched);

const endOf = (error: ExecFileException | null): string =>
  error?.killed === true
    ? `the file does not arrive within ${FETCH_MILLISECONDS / 1000} s`
    : `the client could not read the answer (${error === null ? 'it said nothing' : `exit ${error.code}`})`;
