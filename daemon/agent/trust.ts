// How the daemon verifies the certificate of an agent: against the certificate from its heartbeat, or else as the node or the
// configuration says.
import { readRegularFile } from '../lib/files/regular-file.ts';
import { booleanOf } from '../lib/words.ts';
import { reasonOf } from '../model/faults.ts';
import type { Node } from '../model/records/node.ts';
import type { TlsSettings } from '../lib/http-client/connection.ts';

export interface TrustSettings {
  /** True, False, or the path of a file with the certificates to trust. */
  readonly verify_ca: string;
  readonly tls_minimum_version: '1.2' | '1.3';
}

/** Rejects when the certificate file cannot be read. */
export async function trustIn(node: Node, settings: TrustSettings): Promise<TlsSettings> {
  const minVersion = `TLSv${settings.tls_minimum_version}` as const;
  const pinned = node.driver_internal_info.agent_verify_ca;
  if (pinned !== undefined) return { ca: pinned, rejectUnauthorized: true, minVersion };
  const ofNode = node.driver_info['agent_verify_ca'];
  const [origin, wanted] =
    ofNode === undefined || ofNode === null
      ? ['[agent] verify_ca', settings.verify_ca]
      : ['driver_info/agent_verify_ca', typeof ofNode === 'string' ? ofNode : JSON.stringify(ofNode)];
  const flag = booleanOf(wanted);
  if (flag !== undefined) return { rejectUnauthorized: flag, minVersion };
  return { ca: await certificates(wanted, origin), rejectUnauthorized: true, minVersion };
}

/** Some four times the size of the CA bundles that operating systems ship. */
const LARGEST_BUNDLE_BYTES = 1_048_576;

async function certificates(file: string, origin: string): Promise<string> {
  try {
    return await readRegularFile(file, LARGEST_BUNDLE_BYTES);
  } catch (error) {
    throw new Error(
      `${origin} names a file that cannot be read (${reasonOf(error)}); expected True, False or the path of a file with PEM certificates`,
      { cause: error },
    );
  }
}
