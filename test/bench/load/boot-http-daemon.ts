// The daemon of the boot HTTP benchmark: serves the file of its first argument as `image`, keeps its state in the folder
// of the second, and prints its URLs.
import process from 'node:process';
import { startDaemon } from '../../../daemon/main.ts';

const [, , image = '', folder = ''] = process.argv;
const { url, bootUrl, services } = await startDaemon({
  configFile: undefined,
  environment: {
    IRONIC_DEFAULT__STATE_PATH: folder,
    IRONIC_API__PORT: '0',
    IRONIC_BOOT_HTTP__PORT: '0',
    IRONIC_BOOT_HTTP__HOST_IP: '127.0.0.1',
    IRONIC_BOOT_HTTP__MAX_CONNECTIONS_PER_CLIENT: '1000',
  },
  logDestination: { write: () => undefined },
});
services.served.publish('bench', { image: { kind: 'file', path: image } });
console.log(JSON.stringify({ url, bootUrl }));
