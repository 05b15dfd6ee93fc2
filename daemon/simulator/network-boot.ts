// Finds the kernel parameters with which a machine boots from the daemon's boot HTTP server: reads the iPXE script for its network
// card.
import { OWN_CONNECTION } from './own-connection.ts';

/**
 * Returns the kernel parameters; undefined when there is no script for the card, or the script starts no kernel. Rejects when the
 * server cannot be reached or cannot answer now.
 */
export async function bootParameters(bootUrl: string, mac: string): Promise<URLSearchParams | undefined> {
  const answer = await fetchedToBoot(`${bootUrl}/ipxe/${mac.replaceAll(':', '-')}`);
  const script = await answer.text();
  const line = answer.ok ? script.split('\n').find((one) => one.startsWith('kernel ')) : undefined;
  return line === undefined ? undefined : parametersIn(line);
}

/** Rejects when the server cannot be reached or cannot answer now. */
export async function fetchedToBoot(url: string): Promise<Response> {
  const answer = await fetch(url, { headers: OWN_CONNECTION });
  if (answer.status >= 500) throw new Error(`${url}: HTTP status ${answer.status}`);
  return answer;
}

/** Returns the kernel parameters in a line that consists of a command, the kernel and its parameters. */
export function parametersIn(line: string): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const word of line.split(' ').slice(2)) {
    const [name = '', ...value] = word.split('=');
    parameters.set(name, value.join('='));
  }
  return parameters;
}
