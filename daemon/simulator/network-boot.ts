// Finds the kernel parameters with which a machine boots from the daemon's boot HTTP server: reads the iPXE script for its network
// card.

/** Returns the kernel parameters; undefined when no script for the card can be fetched, or the script starts no kernel. */
export async function bootParameters(bootUrl: string, mac: string): Promise<URLSearchParams | undefined> {
  try {
    const answer = await fetch(`${bootUrl}/ipxe/${mac.replaceAll(':', '-')}`);
    const script = await answer.text();
    const line = answer.ok ? script.split('\n').find((one) => one.startsWith('kernel ')) : undefined;
    return line === undefined ? undefined : parametersIn(line);
  } catch {
    return undefined;
  }
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
