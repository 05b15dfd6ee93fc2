// Probes of who can reach the daemon, and of its secrets and certificates.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { canonicalIp, isLoopback } from '../../lib/network/ip.ts';
import { readSecretFile } from '../../lib/files/secret-file.ts';
import { reasonOf } from '../../model/faults.ts';
import { type ProbeFinding, type Probe, type ExaminedSite, unless } from '../probe.ts';

const DAY_MILLISECONDS = 86_400_000;
const WARNING_DAYS = 21;

const isOpenToNetwork = ({ config: { api } }: ExaminedSite): boolean => {
  const canonical = canonicalIp(api.host_ip);
  return api.unix_socket === null && (canonical === undefined || !isLoopback(canonical));
};

export const securityProbes: readonly Probe[] = [
  {
    id: 'authentication',
    about: 'whether the API authenticates its clients',
    run: (site) =>
      unless(site.config.DEFAULT.auth_strategy !== 'noauth' || !isOpenToNetwork(site), () => ({
        severity: 'error',
        saw: `the API listens on ${site.config.api.host_ip} and does not authenticate its clients`,
        means: 'everyone on that network can erase every machine',
        fix: 'htpasswd -B -c /etc/ironic-edge/htpasswd USER; then [DEFAULT] auth_strategy = http_basic',
      })),
  },
  {
    id: 'api-tls',
    about: 'whether passwords cross the network in the clear',
    run: (site) =>
      unless(
        site.config.DEFAULT.auth_strategy === 'noauth' ||
          site.config.api.enable_ssl_api ||
          !isOpenToNetwork(site),
        () => ({
          severity: 'warning',
          saw: `clients send their passwords to ${site.config.api.host_ip} without TLS`,
          means: 'anyone who can listen on that network learns them',
          fix: '[api] enable_ssl_api = true, cert_file, key_file; or a proxy with TLS and host_ip = 127.0.0.1',
        }),
      ),
  },
  {
    id: 'ramdisk-listener',
    about: 'whether ramdisks and operators share a listener',
    run: (site) =>
      unless(
        !isOpenToNetwork(site) ||
          site.config.ramdisk.port !== null ||
          !site.config.api.enable_ramdisk_endpoints,
        () => ({
          severity: 'warning',
          saw: 'ramdisks reach the listener of the API',
          means: 'a compromised machine can try passwords',
          fix: '[ramdisk] port = 6386 and [api] enable_ramdisk_endpoints = false',
        }),
      ),
  },
  {
    id: 'password-file',
    about: 'the password file of http_basic',
    run({ config }) {
      const { auth_strategy: strategy, http_basic_auth_user_file: file } = config.DEFAULT;
      if (strategy !== 'http_basic') return [];
      return secretFinding(file, '[DEFAULT] http_basic_auth_user_file', `htpasswd -B -c ${file} USER`);
    },
  },
  {
    id: 'webhook-secret',
    about: 'the secret of webhooks',
    run({ config: { webhooks } }) {
      return webhooks.urls.length === 0 || webhooks.secret_file === null
        ? []
        : secretFinding(
            webhooks.secret_file,
            '[webhooks] secret_file',
            `(printf whsec_; openssl rand -base64 32) >${webhooks.secret_file}`,
          );
    },
  },
  {
    id: 'certificate',
    about: 'certificates and keys of the listeners',
    run: (site) =>
      (['api', 'ramdisk'] as const).flatMap((section) => {
        const { enable_ssl_api: isOn, cert_file: cert, key_file: key } = site.config[section];
        if (!isOn || cert === null || key === null) return [];
        return certificateFindings({ section, cert, key }, site.clock.now());
      }),
  },
];

interface Pair {
  readonly section: string;
  readonly cert: string;
  readonly key: string;
}

function certificateFindings({ section, cert, key }: Pair, now: number): readonly ProbeFinding[] {
  const fix = `openssl x509 -in ${cert} -noout -dates -ext subjectAltName`;
  try {
    const certificate = new X509Certificate(readFileSync(cert));
    const days = Math.floor((Date.parse(certificate.validTo) - now) / DAY_MILLISECONDS);
    return [
      ...unless(days >= WARNING_DAYS, () => ({
        severity: days < 0 ? 'error' : 'warning',
        saw: `the certificate ${cert} ([${section}] cert_file) ${days < 0 ? 'has expired' : `expires in ${days} days`}`,
        means: 'clients and ramdisks will refuse it',
        fix: `${fix}; replace certificate and key, which takes effect at once`,
      })),
      ...unless(certificate.subjectAltName !== undefined, () => ({
        severity: 'error',
        saw: `the certificate ${cert} names no host (subjectAltName)`,
        means: 'clients refuse it, whatever its common name is',
        fix: `${fix}; replace it with a certificate that names the hosts in subjectAltName`,
      })),
      ...unless(certificate.checkPrivateKey(createPrivateKey(readSecretFile(key))), () => ({
        severity: 'error',
        saw: `the key ${key} does not belong to the certificate ${cert}`,
        means: 'the daemon does not start',
        fix: `[${section}] cert_file, key_file = a certificate and its own key`,
      })),
    ];
  } catch (error) {
    return [
      {
        severity: 'error',
        saw: `certificate and key of [${section}] cannot be used: ${reasonOf(error)}`,
        means: 'the daemon does not start',
        fix,
      },
    ];
  }
}

/** `create`: the command that writes a new file. */
function secretFinding(file: string, option: string, create: string): readonly ProbeFinding[] {
  try {
    readSecretFile(file);
    return [];
  } catch (error) {
    const found = statSync(file, { throwIfNoEntry: false });
    const restrict = `chown root:ironic-edge ${file}; chmod 640 ${file}`;
    const mend = found?.isFile() === false ? `${option} = a regular file` : restrict;
    return [
      {
        severity: 'error',
        saw: `${option} cannot be used: ${reasonOf(error)}`,
        means: 'the daemon does not start',
        fix: found === undefined ? `${create}; ${restrict}` : mend,
      },
    ];
  }
}
