import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { ImageRequest, Preparation } from '../../../daemon/images/prepare-image.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { httpServer } from '../../fakes/services/http-server.ts';
import { digest, disk, imageRequest, imagesIn, MEBIBYTE, qemuImage } from '../../fakes/images.ts';
import { ociRegistry } from '../../fakes/services/oci-registry.ts';
import { skipWithout } from '../../setup/packages.ts';

const never = new AbortController().signal;
const skip = skipWithout('qemu-utils');

interface Site {
  /** What the web server serves, by path. */
  readonly served: Record<string, Buffer | string>;
  readonly requests: { readonly path: string; readonly authorization: string | undefined }[];
  readonly url: string;
  /** The directory that file URLs may lead into. */
  readonly root: string;
  readonly stateDirectory: string;
  readonly prepare: (request: Partial<ImageRequest> & { readonly source: string }) => Promise<{
    readonly path: string;
    readonly sha256: string;
    readonly format: string;
  }>;
}

async function site(t: TestContext, settings: Partial<Preparation> = {}): Promise<Site> {
  const folder = mkdtempSync(path.join(tmpdir(), 'prepare-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [root, stateDirectory] = [path.join(folder, 'root'), path.join(folder, 'state')];
  for (const each of [root, stateDirectory]) mkdirSync(each);
  const served: Record<string, Buffer | string> = {};
  const requests: { path: string; authorization: string | undefined }[] = [];
  const { port } = await httpServer(t, ({ url = '', headers }, response) => {
    requests.push({ path: url, authorization: headers.authorization });
    const content = served[url];
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  const images = imagesIn(stateDirectory, [root], settings);
  const prepare: Site['prepare'] = (request) => images.prepare(imageRequest(request), never);
  return { served, requests, url: `http://127.0.0.1:${port}`, root, stateDirectory, prepare };
}

describe('an image for a disk', () => {
  it('is converted to raw, and its digest is that of the raw content', { skip }, async (t) => {
    const { served, url, prepare } = await site(t);
    const content = disk('converted', 3 * MEBIBYTE);
    const image = qemuImage(t, 'qcow2', content, '-c');
    served['/a.qcow2'] = image;
    const prepared = await prepare({ source: `${url}/a.qcow2`, checksum: digest(image), format: 'qcow2' });
    assert.deepEqual(readFileSync(prepared.path), content);
    assert.deepEqual([prepared.sha256, prepared.format], [digest(content), 'raw']);
  });

  it('is downloaded and converted once for any number of nodes', { skip }, async (t) => {
    const { served, requests, url, prepare } = await site(t);
    const image = qemuImage(t, 'qcow2', disk());
    served['/a'] = image;
    const request = { source: `${url}/a`, checksum: digest(image) };
    const all = await Promise.all(Array.from({ length: 20 }, () => prepare(request)));
    assert.equal(new Set(all.map((each) => each.path)).size, 1);
    const [later] = [await prepare(request)];
    assert.deepEqual([later?.path, requests.length], [all[0]?.path, 1]);
  });

  it('is not converted if conversion is off, or if the ramdisk does not stream it', { skip }, async (t) => {
    const image = qemuImage(t, 'qcow2', disk());
    for (const [settings, isStreamed] of [
      [{ convertsToRaw: false }, true],
      [{}, false],
    ] as const) {
      const { root, prepare } = await site(t, settings);
      writeFileSync(path.join(root, 'a'), image);
      const prepared = await prepare({ source: `file://${root}/a`, isStreamed });
      assert.deepEqual([prepared.format, prepared.sha256], ['qcow2', digest(image)]);
    }
  });

  it('is used in place when it is a raw file of this host', async (t) => {
    const { root, stateDirectory, prepare } = await site(t);
    const file = path.join(root, 'a.raw');
    writeFileSync(file, disk('one'));
    assert.deepEqual(await prepare({ source: `file://${file}` }), {
      path: file,
      bytes: MEBIBYTE,
      sha256: digest(disk('one')),
      isOwn: false,
      format: 'raw',
    });
    writeFileSync(file, disk('another'));
    assert.equal((await prepare({ source: `file://${file}` })).sha256, digest(disk('another')));
    assert.deepEqual(readdirSync(stateDirectory), []);
  });

  it('is refused for a whole disk when it has no partition table, and used for a partition', async (t) => {
    const { root, prepare } = await site(t);
    const source = `file://${root}/fs`;
    writeFileSync(path.join(root, 'fs'), Buffer.alloc(MEBIBYTE));
    await rejectsFault(prepare({ source }), 'ImageUnusable', /no partition table.*image_type to partition/);
    assert.equal((await prepare({ source, type: 'partition' })).format, 'raw');
  });

  it('is refused when its format is not the declared one', { skip }, async (t) => {
    const { root, prepare } = await site(t);
    writeFileSync(path.join(root, 'a'), qemuImage(t, 'qcow2', disk()));
    const source = `file://${root}/a`;
    await rejectsFault(
      prepare({ source, format: 'raw' }),
      'ImageUnusable',
      /its format is qcow2, but instance_info\/image_disk_format says raw/,
    );
    writeFileSync(path.join(root, 'b'), disk());
    assert.equal((await prepare({ source: `file://${root}/b`, format: 'raw' })).format, 'raw');
  });

  it('is refused when it is a web page, and the fault says so', async (t) => {
    const { served, url, prepare } = await site(t);
    const page = '<!DOCTYPE html><html><body>Sign in</body></html>';
    served['/a.qcow2'] = page;
    await rejectsFault(
      prepare({ source: `${url}/a.qcow2`, checksum: digest(page) }),
      'ImageUnusable',
      /a\.qcow2 cannot be used: it is text, such as a web page; check the URL/,
    );
  });

  it('is taken to have the declared format when images are not inspected', async (t) => {
    const { root, prepare } = await site(t, { inspects: false });
    writeFileSync(path.join(root, 'a'), 'anything');
    assert.equal((await prepare({ source: `file://${root}/a`, format: 'qcow2' })).format, 'qcow2');
  });

  it(
    'is refused when its conversion needs more memory than is allowed, and the fault names the option that allows more',
    { skip },
    async (t) => {
      const { root, prepare } = await site(t, { converterMebibytes: 32 });
      writeFileSync(path.join(root, 'a'), qemuImage(t, 'qcow2', disk()));
      await rejectsFault(
        prepare({ source: `file://${root}/a` }),
        'ImageUnusable',
        /allow more with \[disk_utils\] image_convert_memory_limit/,
      );
    },
  );
});

describe('a checksum', () => {
  it('is required for a downloaded image, which is kept only if it matches', { skip }, async (t) => {
    const { served, url, prepare, stateDirectory } = await site(t);
    const image = qemuImage(t, 'qcow2', disk());
    served['/a'] = image;
    const source = `${url}/a`;
    await rejectsFault(prepare({ source }), 'InvalidParameter', /image_checksum: it is missing/);
    await rejectsFault(
      prepare({ source, checksum: digest('other') }),
      'ImageUnusable',
      new RegExp(`its sha256 is ${digest(image)}, expected ${digest('other')}`),
    );
    const [place = ''] = readdirSync(path.join(stateDirectory, 'images'));
    assert.deepEqual(readdirSync(path.join(stateDirectory, 'images', place)), []);
    for (const checksum of [digest(image, 'sha512'), `SHA256:${digest(image).toUpperCase()}`])
      assert.equal((await prepare({ source, checksum })).format, 'raw');
  });

  it('is also verified for a file of this host', async (t) => {
    const { root, prepare } = await site(t);
    writeFileSync(path.join(root, 'a'), disk());
    const source = `file://${root}/a`;
    for (const algorithm of ['sha256', 'sha512'])
      await rejectsFault(
        prepare({ source, checksum: digest('other', algorithm) }),
        'ImageUnusable',
        new RegExp(`its ${algorithm} is`),
      );
    assert.equal((await prepare({ source, checksum: digest(disk(), 'sha512') })).format, 'raw');
  });

  it('is read from a checksum file, which is fetched with the login for image servers', async (t) => {
    const { served, requests, url, prepare } = await site(t);
    served['/pool/a.raw'] = disk();
    served['/SHA256SUMS'] = `${digest('other')}  b.raw\n${digest(disk())}  a.raw\n`;
    served['/empty'] = 'nothing\n';
    const login = { user: 'u', password: 'p', hosts: ['127.0.0.1'] };
    const request = { source: `${url}/pool/a.raw`, login };
    await prepare({ ...request, checksum: `${url}/SHA256SUMS` });
    const basic = `Basic ${Buffer.from('u:p').toString('base64')}`;
    assert.deepEqual(requests, [
      { path: '/SHA256SUMS', authorization: basic },
      { path: '/pool/a.raw', authorization: basic },
    ]);
    await rejectsFault(
      prepare({ ...request, checksum: `${url}/empty` }),
      'ImageUnusable',
      /empty cannot be used: it has no checksum of a\.raw/,
    );
    await rejectsFault(
      prepare({ ...request, checksum: `${url}/absent` }),
      'ImageUnusable',
      /absent cannot be used: its server answered 404/,
    );
  });

  it('is refused when it is MD5, also in a checksum file, unless MD5 is allowed', async (t) => {
    const md5 = digest(disk(), 'md5');
    for (const [allowsMd5, outcome] of [
      [false, /MD5 digest.*\[agent\] allow_md5_checksum/],
      [true, undefined],
    ] as const) {
      const { served, url, prepare } = await site(t, { allowsMd5 });
      served['/a'] = disk();
      served['/MD5SUMS'] = `${md5} *a\n`;
      for (const checksum of [md5, `${url}/MD5SUMS`]) {
        const prepared = prepare({ source: `${url}/a`, checksum });
        if (outcome === undefined) assert.equal((await prepared).sha256, digest(disk()));
        else await rejectsFault(prepared, 'InvalidParameter', outcome);
      }
    }
  });
});

describe('an image in a registry', () => {
  it('is downloaded with the login of the instance, verified, and served from the cache afterwards', async (t) => {
    const registry = await ociRegistry(t, { login: 'token', user: 'user:hidden' });
    const { prepare } = await site(t);
    registry.push('os/debian', '13', disk());
    const request = { source: `oci://${registry.host}/os/debian:13`, pullSecret: 'user:hidden' };
    const prepared = await prepare(request);
    assert.deepEqual([prepared.sha256, prepared.format], [digest(disk()), 'raw']);
    assert.equal((await prepare(request)).path, prepared.path);
    const blobs = registry.requests.filter(({ server }) => server === 'blobs');
    assert.deepEqual(
      blobs.map(({ authorization }) => authorization),
      [undefined],
    );
  });

  it('is refused when it does not match its digest or the checksum of the instance, or has no manifest', async (t) => {
    const other = `sha256:${digest('other')}`;
    const registry = await ociRegistry(t, {
      intercept(place, response) {
        if (place !== `/${other}`) return false;
        response.end('something else');
        return true;
      },
    });
    const { prepare } = await site(t);
    registry.push('a', '1', disk());
    const source = `oci://${registry.host}/a:1`;
    await rejectsFault(
      prepare({ source, checksum: digest('other') }),
      'ImageUnusable',
      /but instance_info.image_checksum says/,
    );
    registry.pushManifest('a', '2', { layers: [{ digest: other }] });
    await rejectsFault(
      prepare({ source: `oci://${registry.host}/a:2` }),
      'ImageUnusable',
      /its sha256 is .*, expected/,
    );
    await rejectsFault(
      prepare({ source: `oci://${registry.host}/a:9` }),
      'ImageUnusable',
      /its registry has no manifest for 9/,
    );
  });
});
