// Terraform makes and removes what the examples of the page describe: by the commands of ironic-edge, and with the provider for Ironic.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Node } from '../../../daemon/model/records/node.ts';
import { enrol, IMAGE, MAC, type MachineSite, startMachineSite } from './machine-site.ts';

const tree = join(import.meta.dirname, '../../..');
const [commands = '', settings = '', provider = ''] = [
  ...readFileSync(join(tree, 'daemon/docs/terraform.md'), 'utf8').matchAll(/^```hcl\n(.*?)^```$/gms),
].map(([, text = '']) => text);

const PROVIDER = 'terraform-provider-ironic';
const inPath = (program: string) =>
  (process.env['PATH'] ?? '').split(delimiter).find((folder) => existsSync(join(folder, program)));
const skip = () =>
  spawnSync('terraform', ['version']).status !== 0 && 'Terraform is not installed (developer.hashicorp.com)';
const skipProvider = () =>
  skip() ||
  (inPath(PROVIDER) === undefined &&
    `${PROVIDER} is not in PATH: go build in a clone of github.com/openshift-metal3/${PROVIDER}`);

/** A site with `debian-13` in its catalogue, and a function that runs Terraform on the text of a file. */
async function start(t: TestContext, textFor: (site: MachineSite) => string) {
  const site = await startMachineSite(t);
  const folder = join(site.folder, 'terraform');
  mkdirSync(folder);
  writeFileSync(join(folder, 'main.tf'), textFor(site));
  writeFileSync(join(folder, 'user-data.yaml'), '#cloud-config\n');
  const rc = join(site.folder, 'terraformrc');
  writeFileSync(rc, settings.replace(/"\/[^"]*"/, `"${inPath(PROVIDER) ?? dirname(rc)}"`));
  const edge = join(tree, 'daemon/cli');
  const environment = { PATH: `${edge}${delimiter}${process.env['PATH']}`, CHECKPOINT_DISABLE: '1' };
  await site.run(join(edge, 'ironic-edge'), [
    'image',
    'create',
    'name=debian-13',
    `source=${IMAGE.url}`,
    `checksum=${IMAGE.sha256}`,
  ]);
  const terraform = (...words: readonly string[]) =>
    site.run('/usr/bin/env', ['terraform', `-chdir=${folder}`, ...words], {
      ...environment,
      TF_CLI_CONFIG_FILE: rc,
    });
  return { ...site, terraform, node: () => site.nodes().get('rack1-01') as Node };
}

test(
  'Terraform deploys and undeploys a machine by the commands of ironic-edge',
  { skip: skip() },
  async (t) => {
    const site = await start(t, () => commands);
    await enrol(site, 'rack1-01');
    await site.terraform('init');
    await site.terraform('apply', '-auto-approve');
    assert.equal(site.node().provision_state, 'active');
    assert.deepEqual(site.machine.computer.disk?.image_info?.['urls'], [IMAGE.url]);
    assert.match(await site.terraform('plan', '-no-color'), /No changes/);
    await site.terraform('destroy', '-auto-approve');
    assert.equal(site.node().provision_state, 'available');
  },
);

test(
  'Terraform enrols, deploys and removes a machine with the provider for Ironic',
  { skip: skipProvider() },
  async (t) => {
    const site = await start(t, ({ daemon, machine }) =>
      provider
        .replace('http://10.0.0.1:6385', daemon.url)
        .replace('https://10.0.0.11', machine.address)
        .replace('52:54:00:12:34:56', MAC),
    );
    await site.terraform('apply', '-auto-approve');
    assert.equal(site.node().provision_state, 'active');
    assert.equal(site.node().instance_info['image_source'], 'debian-13');
    // the API masks the password, and verification has found the vendor
    assert.match(
      await site.terraform('plan', '-no-color'),
      /~ driver_info +=[^]*0 to add, 1 to change, 0 to destroy/,
    );
    await site.terraform('destroy', '-auto-approve');
    assert.equal(site.node(), undefined);
  },
);
