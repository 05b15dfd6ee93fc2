// Creates the image services that the configuration describes.
import type { Config } from '../../config/sections/core-sections.ts';
import type { ServedFiles } from '../../boot/served-files.ts';
import { createImages, type SiteImages } from '../../images/images.ts';
import { addressRule } from '../../lib/network/address-rule.ts';
import { portOf } from '../../lib/network/listed-host.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';

interface Surroundings {
  readonly served: ServedFiles;
  readonly clock: Clock;
  readonly log: Logger;
  readonly stopping: AbortSignal;
}

const MEBIBYTE = 1_048_576;
const MINUTE_MILLISECONDS = 60_000;

/** Users may not direct the daemon at services of its own host, except at the server of boot files. */
function imageServerRule({
  boot_http: { port },
  deploy: { http_url: url },
  conductor: { image_server_networks: networks },
}: Config): (address: string, port: string) => string | undefined {
  const others = addressRule(networks);
  const ofBootFiles = addressRule(networks, () => []);
  const bootFiles = URL.parse(url ?? '');
  const ownPorts = new Set([port?.toString(), bootFiles === null ? undefined : portOf(bootFiles)]);
  return (address, asked) => (ownPorts.has(asked) ? ofBootFiles : others)(address);
}

export function configuredImages(config: Config, { served, clock, log, stopping }: Surroundings): SiteImages {
  const { DEFAULT, agent, conductor, disk_utils, oci, pxe } = config;
  return createImages({
    stateDirectory: DEFAULT.state_path,
    allowedRoots: conductor.file_url_allowed_paths,
    web: {
      clock,
      rule: imageServerRule(config),
      verifyCa: DEFAULT.webserver_verify_ca,
      silenceSeconds: DEFAULT.webserver_connection_timeout,
    },
    limits: {
      bytes: pxe.image_cache_size * MEBIBYTE,
      milliseconds: pxe.image_cache_ttl * MINUTE_MILLISECONDS,
    },
    served: () => served.paths(),
    preparation: {
      permittedFormats: conductor.permitted_image_formats,
      inspects: !conductor.disable_deep_image_inspection,
      convertsToRaw: DEFAULT.force_raw_images,
      converterMebibytes: disk_utils.image_convert_memory_limit,
      allowsMd5: agent.allow_md5_checksum,
      registries: {
        loginsFile: oci.authentication_config,
        tokenServers: oci.token_servers,
        usesHttp: oci.permit_fallback_to_http_transport,
      },
    },
    log,
    stopping,
  });
}
