// The commands with which the page brings an image from a mirror into the catalogue, at a mirror with the folders that its wget makes.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startMachineSite } from '../../interop/clients/machine-site.ts';
import { disk } from '../../fakes/images.ts';
import { httpServer } from '../../fakes/services/http-server.ts';

const tree = path.join(import.meta.dirname, '../../..');

/** The paths at which a web server has the image and its checksums after the wget of the page. */
function mirroredPaths(page: string): readonly [image: string, sums: string] {
  const [, cut, folder] = /--cut-dirs=(\d+) -P \/srv\/to-site\/(\w+) /.exec(page) ?? [];
  assert.ok(cut !== undefined && folder !== undefined);
  const [image, sums] = (page.match(/https:\/\/cloud\.debian\.org\/\S+\/latest\/\S+/g) ?? []).map((url) =>
    ['', folder, ...new URL(url).pathname.split('/').slice(1 + Number(cut))].join('/'),
  );
  assert.ok(image !== undefined && sums !== undefined);
  return [image, sums];
}

test('the catalogue takes an image and its checksum from the mirror that the page describes', async (t) => {
  const page = readFileSync(path.join(tree, 'daemon/docs/air-gap.md'), 'utf8');
  const [image, sums] = mirroredPaths(page);
  const digest = createHash('sha512').update(disk()).digest('hex');
  const files = new Map([
    [image, disk()],
    [sums, Buffer.from(`${digest}  ${path.basename(image)}\n`)],
  ]);
  const { port } = await httpServer(t, ({ url = '' }, response) => {
    response.statusCode = files.has(url) ? 200 : 404;
    response.end(files.get(url));
  });
  const { run } = await startMachineSite(t);
  const commands = page.match(/(?<=^ironic-edge )image .*$/gm) ?? [];
  assert.equal(commands.length, 2);
  for (const command of commands)
    await run(
      path.join(tree, 'daemon/cli/ironic-edge'),
      command.replace('http://mirror.example', `http://127.0.0.1:${port}`).split(' '),
    );
  const shown = await run(path.join(tree, 'daemon/cli/ironic-edge'), ['image', 'list', '--format', 'json']);
  const [listed] = JSON.parse(shown) as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual([listed?.['name'], listed?.['state']], ['debian-13', 'ready']);
});
