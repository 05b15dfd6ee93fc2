// The TFTP server that the configuration asks for.
import type { Config } from '../../config/sections/core-sections.ts';
import { passedSockets } from '../../lib/passed-sockets.ts';
import { startTftpServer, type TftpServer, type TftpServices } from './server.ts';

/** Resolves with undefined when the TFTP server is disabled; rejects with an Error when it cannot listen. */
export async function startConfiguredTftpServer(
  { tftp_server: options }: Config,
  environment: Readonly<Record<string, string | undefined>>,
  services: TftpServices,
): Promise<TftpServer | undefined> {
  if (!options.enabled) return undefined;
  const server = await startTftpServer(
    { passed: passedSockets('tftp', environment), addresses: options.addresses, port: options.port },
    {
      transfers: options.max_transfers,
      transfersPerClient: options.max_transfers_per_client,
      blockBytes: options.max_block_size,
    },
    services,
  );
  services.log.info({ addresses: server.addresses }, 'serving boot files over TFTP');
  return server;
}
