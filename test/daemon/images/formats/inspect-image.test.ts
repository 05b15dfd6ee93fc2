import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { inspectBytes } from '../../../../daemon/images/formats/inspect-image.ts';
import { disk, MEBIBYTE, qemuImage } from '../../../fakes/images.ts';
import { skipWithout } from '../../../setup/packages.ts';

const skip = skipWithout('qemu-utils');
const EVERYTHING = ['raw', 'gpt', 'qcow2', 'iso', 'vmdk', 'vdi', 'vhd', 'vhdx', 'luks'];
/** Our names of formats, and the arguments that make qemu-img write them. */
const WRITTEN: readonly (readonly [string, string, ...(readonly string[])])[] = [
  ['qcow2', 'qcow2'],
  ['qcow2', 'qcow2', '-c'],
  ['qcow2', 'qcow2', '-o', 'compat=0.10'],
  ['qcow2', 'qcow2', '-o', 'compression_type=zstd,extended_l2=on'],
  ['qcow2', 'qcow2', '-o', 'cluster_size=512'],
  ['vmdk', 'vmdk'],
  ['vmdk', 'vmdk', '-o', 'subformat=streamOptimized'],
  ['vdi', 'vdi'],
  ['vdi', 'vdi', '-o', 'static=on'],
  ['vhd', 'vpc', '-o', 'force_size=on'],
  ['vhd', 'vpc', '-o', 'subformat=fixed,force_size=on'],
  ['vhdx', 'vhdx'],
];

const bytesOf = (content: Buffer) => ({
  size: content.length,
  read: async (offset: number, length: number) =>
    offset < 0 ? Buffer.alloc(0) : content.subarray(offset, offset + length),
});
const inspect = (content: Buffer, permitted = EVERYTHING) => inspectBytes(bytesOf(content), permitted);
const withBytes = (content: Buffer, offset: number, bytes: readonly number[] | string) => {
  const changed = Buffer.from(content);
  changed.set(Buffer.from(bytes as string, 'latin1'), offset);
  return changed;
};

test(
  'qcow2, VMDK, VDI, VHD and VHDX images of qemu-img are recognised by their content, and the size of the disk is found',
  { skip },
  async (t) => {
    for (const [format, ...words] of WRITTEN) {
      const [name, ...more] = words;
      const image = qemuImage(t, name, disk('x', 3 * MEBIBYTE), ...more);
      assert.deepEqual(await inspect(image), { format, virtualBytes: 3 * MEBIBYTE }, words.join(' '));
    }
  },
);

test('disks, CD images and encrypted disks are recognised; empty, textual, compressed and unsupported content is refused', async () => {
  const iso = withBytes(Buffer.alloc(65_536), 32_769, 'CD001');
  const cases: readonly (readonly [Buffer, string])[] = [
    [disk(), 'gpt'],
    [withBytes(Buffer.alloc(4096), 512, 'EFI PART'), 'gpt'],
    [Buffer.alloc(4096), 'raw'],
    [iso, 'iso'],
    [withBytes(iso, 510, [0x55, 0xaa]), 'iso'],
    [withBytes(Buffer.alloc(4096), 0, 'LUKS\u00ba\u00be'), 'luks'],
  ];
  for (const [content, format] of cases) assert.equal((await inspect(content)).format, format);
  const refused: readonly (readonly [Buffer, RegExp])[] = [
    [Buffer.alloc(0), /it is empty/],
    [Buffer.from('<html>\n'), /it is text, such as a web page; give the image itself$/],
    [withBytes(Buffer.alloc(512), 0, [0x1f, 0x8b]), /compressed with gzip; decompress it first/],
    [zstdCompressSync(disk()), /compressed with zstd; decompress it first/],
    [withBytes(Buffer.alloc(512), 0, 'QFI\u00fb\0\0\0\u0001'), /its format is qcow, which is not supported/],
    [withBytes(Buffer.alloc(512), 0, 'QED\0'), /its format is qed, which is not supported/],
  ];
  for (const [content, reason] of refused) await assert.rejects(inspect(content), reason);
});

test(
  'a format that the configuration does not permit is refused, and a disk with a partition table counts as raw',
  { skip },
  async (t) => {
    const image = qemuImage(t, 'qcow2', disk());
    await assert.rejects(
      inspect(image, ['raw']),
      /its format is qcow2, and \[conductor\] permitted_image_formats is raw/,
    );
    await assert.rejects(inspect(disk(), ['qcow2']), /its format is gpt/);
    assert.equal((await inspect(disk(), ['raw'])).format, 'gpt');
  },
);

describe('images that would make their reader open another file (CVE-2024-44082), and malformed images', () => {
  it('a qcow2 image with a backing file, data file or unsupported header is refused', { skip }, async (t) => {
    const image = qemuImage(t, 'qcow2', disk());
    const cases: readonly (readonly [number, readonly number[], RegExp])[] = [
      [8, [0, 0, 0, 0, 0, 0, 2, 0], /it has a backing file/],
      [16, [0, 0, 0, 9], /it has a backing file/],
      [72, [0, 0, 0, 0, 0, 0, 0, 4], /its data are in another file/],
      [72, [0, 0, 0, 0, 0, 0, 0, 2], /marked as corrupt/],
      [72, [0, 0, 0, 0, 0, 0, 1, 0], /unknown features \(0x100\)/],
      [32, [0, 0, 0, 2], /it is encrypted/],
      [image.readUInt32BE(100), [0x44, 0x41, 0x54, 0x41, 0, 0, 0, 8], /it names another file/],
      [image.readUInt32BE(100), [1, 2, 3, 4, 0xff, 0xff, 0xff, 0xff], /its header does not end/],
      [4, [0, 0, 0, 9], /its version is 9/],
      [20, [0, 0, 0, 63], /its cluster size is 2\^63/],
      [24, [0x7f, 0, 0, 0, 0, 0, 0, 0], /its tables do not match its size/],
    ];
    for (const [offset, bytes, reason] of cases)
      await assert.rejects(inspect(withBytes(image, offset, bytes)), reason, String(reason));
  });

  it('a VMDK image with extents in other files, a parent or a wrong type is refused', { skip }, async (t) => {
    const image = qemuImage(t, 'vmdk', disk());
    const at = (text: string) => image.indexOf(text);
    const cases: readonly (readonly [Buffer, RegExp])[] = [
      [
        Buffer.from('# Disk DescriptorFile\nRW 2048 FLAT "/etc/shadow" 0\n'.padEnd(600)),
        /its data are in other files/,
      ],
      [
        withBytes(
          image,
          12,
          Array.from({ length: 8 }, () => 0),
        ),
        /its data are in other files/,
      ],
      [withBytes(image, at('createType='), 'createType="vmfs"\n#'), /its type is "vmfs"/],
      [withBytes(image, at('parentCID=ffffffff'), 'parentCID=12345678'), /it has a parent/],
      [withBytes(image, at('# The Disk Data Base'), 'parentFileNameHint="/etc'), /it has a parent/],
      [withBytes(image, at('# The Disk Data Base'), 'RW 1 FLAT "/etc/x"\n'), /its data are in other files/],
    ];
    for (const [content, reason] of cases) await assert.rejects(inspect(content), reason, String(reason));
  });

  it('differencing VDI, VHD and VHDX images and unknown VDI types are refused', { skip }, async (t) => {
    const vdi = qemuImage(t, 'vdi', disk());
    await assert.rejects(inspect(withBytes(vdi, 0x4c, [4, 0, 0, 0])), /only the differences/);
    await assert.rejects(inspect(withBytes(vdi, 0x1b8, [1])), /only the differences/);
    await assert.rejects(inspect(withBytes(vdi, 0x4c, [7, 0, 0, 0])), /its type is 7, expected 1 or 2/);
    const vhd = qemuImage(t, 'vpc', disk());
    await assert.rejects(inspect(withBytes(vhd, 60, [0, 0, 0, 4])), /only the differences/);
    const vhdx = qemuImage(t, 'vhdx', disk());
    const parameters = vhdx.indexOf(Buffer.from('3767a1ca36fa434db3b633f0aa44e76b', 'hex'));
    const locator = withBytes(vhdx, parameters, [...Buffer.from('2d5fd3a80bb34d45abf7d3d84834ab0c', 'hex')]);
    await assert.rejects(inspect(locator), /it has a parent/);
    const metadata = vhdx.indexOf('metadata');
    const value = metadata + vhdx.readUInt32LE(parameters + 16) + 4;
    await assert.rejects(inspect(withBytes(vhdx, value, [2])), /it has a parent/);
  });

  it('content that looks like several formats at once is refused', { skip }, async (t) => {
    const image = qemuImage(t, 'qcow2', disk());
    await assert.rejects(inspect(withBytes(image, 510, [0x55, 0xaa])), /several formats at once: qcow2, gpt/);
  });
});

test('an image of a disk of more than 1024 GiB is refused', { skip }, async (t) => {
  const vdi = qemuImage(t, 'vdi', disk());
  const huge = withBytes(withBytes(vdi, 0x175, [2]), 0x180, [0xff, 0xff, 0xff, 0xff]);
  await assert.rejects(inspect(huge), /the disk in it is larger than 1024 GiB/);
});

const EDGE_BYTES = [0, 1, 0x7f, 0x80, 0xff];

/** Changes up to twelve bytes of the image, about half of them in its first 1024. Returns a function that restores them. */
function change(image: Buffer, random: (below: number) => number): () => void {
  const before = Array.from({ length: 1 + random(12) }, () => {
    const at = random(2) === 0 ? random(1024) : random(image.length);
    const byte = image[at] ?? 0;
    image[at] = random(2) === 0 ? random(256) : (EDGE_BYTES[random(EDGE_BYTES.length)] ?? 0);
    return { at, byte };
  });
  return () => {
    for (const { at, byte } of before.toReversed()) image[at] = byte;
  };
}

const isSentence = (error: unknown) =>
  error instanceof Error && error.constructor === Error && /^(?:it|its|the disk in it) /.test(error.message);

test('an image with random changes is accepted, or refused with a readable reason', { skip }, async (t) => {
  let seed = 20_261_122;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const images = WRITTEN.map(([, name, ...words]) => qemuImage(t, name, disk(), ...words));
  for (let round = 0; round < 6000; round += 1) {
    const image = images[round % images.length] ?? Buffer.alloc(0);
    const restore = change(image, random);
    const length = random(8) === 0 ? random(image.length) : image.length;
    const judged = await inspect(image.subarray(0, length)).catch((error: unknown) => error);
    const size = (judged as { readonly virtualBytes?: number }).virtualBytes ?? 0;
    assert.ok(isSentence(judged) || (size > 0 && size <= 2 ** 40), `round ${round}: ${String(judged)}`);
    restore();
  }
});
