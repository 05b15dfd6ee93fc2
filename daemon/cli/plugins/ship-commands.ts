// `ironic-edge plugin pack|install|remove|reload`: packs a plugin at its vendor, and installs, removes or reloads it at a site.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock, timestamp } from '../../lib/clock.ts';
import { HttpClient } from '../../lib/http-client/http-client.ts';
import { isolatedCheck } from '../../plugin-kit/conformance/isolated-check.ts';
import {
  type ConfigRequest,
  findPlugins,
  readConfigWithPlugins,
} from '../../plugin-host/configured-plugins.ts';
import { readPlugin } from '../../plugin-host/manifests/discover.ts';
import { rehearseStart } from '../../plugin-kit/shipping/rehearse-start.ts';
import { resolvePluginApi } from '../../plugin-host/resolve-plugin-api.ts';
import { folderFiles } from '../../plugin-kit/shipping/folder-files.ts';
import { installPlugin, removePlugin, type Site } from '../../plugin-kit/shipping/install-plugin.ts';
import { LARGEST_PACKAGE_BYTES, packPlugin } from '../../plugin-kit/shipping/package-file.ts';
import { fingerprintOf, privateKeyIn, publicKeyIn } from '../../plugin-kit/shipping/signing-key.ts';
import { nextSteps } from '../../plugin-kit/tools/next-steps.ts';
import { createApiClient } from '../api-client.ts';
import type { JsonObject } from '../../model/json.ts';
import { commandOf, FLAG, TEXT, WrongArguments } from '../command.ts';
import { readGivenFile } from '../given-file.ts';
import { cellText } from '../text-table.ts';
import { PLUGIN_USAGE as usage } from './plugin-usage.ts';

const DOWNLOAD_SECONDS = 300;
const MOST_REDIRECTS = 5;

export const pack = commandOf({
  usage,
  options: { key: TEXT, out: TEXT },
  positionals: ['FOLDER'],
  run({ values: { key: keyFile, out }, positionals: [given] }, { stdout }) {
    const { folder, manifest } = readPlugin(given);
    const { name, version } = manifest;
    const key =
      keyFile === undefined ? undefined : privateKeyIn(keyFile, readGivenFile('--key', keyFile).toString());
    const file = out ?? `${name}-${version}.tgz`;
    writeFileSync(file, packPlugin({ name, files: folderFiles(folder) }, key));
    const signed = key === undefined ? 'not signed' : `signed by ${fingerprintOf(key)}`;
    stdout.write(`${file}: ${name} ${version}, ${signed}\n`);
    return 0;
  },
});

export const install = commandOf({
  usage,
  options: { key: TEXT, unsigned: FLAG, into: TEXT, 'config-file': TEXT },
  positionals: ['FILE|URL'],
  async run({ values, positionals: [source] }, { environment, stdout }) {
    const request = { configFile: values['config-file'], environment };
    const site = siteOf(request, values.into);
    const origin = isUrl(source) ? source : resolve(source);
    const bytes = isUrl(source) ? await download(source) : readGivenFile('FILE', source);
    const expected = { key: values.key && fingerprintIn(values.key), allowsUnsigned: values.unsigned };
    const { plugin, signer, replaced, hasSameOptions } = await installPlugin(
      { bytes, origin, installed_at: timestamp(systemClock.now()), expected },
      site,
      checkOf(request),
    );
    const { name, version } = plugin.manifest;
    const former = replaced === undefined ? '' : `, in place of ${replaced}`;
    stdout.write(`${name} ${version} is installed in ${site.directory}${former}; ${signer}.\n`);
    stdout.write(nextSteps(plugin, readConfigWithPlugins(request), hasSameOptions));
    return 0;
  },
});

export const remove = commandOf({
  usage,
  options: { into: TEXT, 'config-file': TEXT },
  positionals: ['NAME'],
  async run({ values, positionals: [name] }, { environment, stdout }) {
    const site = siteOf({ configFile: values['config-file'], environment }, values.into);
    await removePlugin(site, name);
    stdout.write(
      `${name} is removed from ${site.directory}. A running daemon uses the plugin until the daemon stops.\n`,
    );
    return 0;
  },
});

export const reload = commandOf({
  usage,
  options: {},
  positionals: ['NAME'],
  async run({ positionals: [name] }, { environment, stdout }) {
    const path = `/v1/plugins/${encodeURIComponent(name)}/reload`;
    const { body } = await createApiClient(environment).request('POST', path);
    const { version, replaced } = body as JsonObject;
    const former =
      (replaced ?? null) === null
        ? ''
        : `, in place of ${cellText(replaced)}; operations under way finish with the old code`;
    stdout.write(`${name} ${cellText(version)} is loaded${former}.\n`);
    return 0;
  },
});

function siteOf(request: ConfigRequest, into: string | undefined): Site {
  resolvePluginApi();
  const { path } = readConfigWithPlugins(request).config.plugins;
  const directory = into === undefined ? path[0] : resolve(into);
  if (directory === undefined)
    throw new Error(
      '[plugins] path is empty; set it to the directory for plugins, such as /var/lib/ironic-edge/plugins',
    );
  if (!path.includes(directory))
    throw new WrongArguments(`--into ${into}: expected a directory of [plugins] path: ${path.join(', ')}`);
  return {
    directory,
    async startFailure() {
      const rehearsal = await rehearseStart(request);
      if (rehearsal.kind === 'fails') return `the daemon could not start: ${rehearsal.reason}`;
      return (
        rehearsal.flaw &&
        `the daemon would start, but without something that its configuration names: ${rehearsal.flaw}`
      );
    },
  };
}

/** Checks the plugin in a folder together with the other configured plugins. Leaves out an installed version of the same plugin. */
const checkOf = (request: ConfigRequest) => (folder: string) => {
  const { name } = readPlugin(folder).manifest;
  const others = findPlugins(request).plugins.filter(({ manifest }) => manifest.name !== name);
  return isolatedCheck(
    { folder, others },
    readConfigWithPlugins(request).config.plugins.memory_limit,
    () => undefined,
  );
};

const isUrl = (source: string): boolean => /^https?:\/\//.test(source);

/** Redirects to other servers are not followed. */
async function download(url: string): Promise<Buffer> {
  const { status, bytes } = await new HttpClient({ url, clock: systemClock }).send({
    url,
    headers: { accept: '*/*' },
    timeoutSeconds: DOWNLOAD_SECONDS,
    largestReplyBytes: LARGEST_PACKAGE_BYTES,
    redirects: MOST_REDIRECTS,
  });
  if (status === 200) return bytes;
  throw new Error(`${url} was answered with ${status}; name a file, or a URL that leads to one`);
}

/** Returns the fingerprint. `key`: a fingerprint, or a file with a public key. */
const fingerprintIn = (key: string): string =>
  key.startsWith('SHA256:') ? key : fingerprintOf(publicKeyIn(key, readGivenFile('--key', key)));
