// Failures of deployments in which the agent downloads the image.
import { describe, it } from 'node:test';
import { digest, disk, MEBIBYTE, qemuImage } from '../../fakes/images.ts';
import { skip } from '../site.ts';
import { answer, type Failure, fails, half, PAGE, siteOf } from './failing.ts';

const injected = (partition: string) => ({
  interface: 'deploy',
  step: 'inject_files',
  priority: 70,
  args: { files: [{ path: '/x', partition, content: '' }] },
});

const failures: readonly Failure[] = [
  {
    title: 'an image that is cut off',
    respond: (image) => answer(200, image.subarray(0, MEBIBYTE)),
    error: /Correct the checksum in instance_info, or the image on its server\.$/,
  },
  {
    title: 'the checksum of another image',
    instance_info: { image_checksum: digest('another') },
    error: /Correct the checksum in instance_info, or the image on its server\.$/,
  },
  {
    title: 'an image server that dies in the middle',
    respond: half,
    error:
      /4194304 more expected.*Check image_source, and that the machine can reach its server; with image_download_source = local the daemon downloads the image\.$/,
  },
  {
    title: 'an image server that has no such image',
    respond: () => answer(404, 'no such file'),
    error:
      /Received status code 404.*Check image_source, and that the machine can reach its server; with image_download_source = local the daemon downloads the image\.$/,
  },
  {
    title: 'an image server that is off',
    instance_info: { image_source: 'http://127.0.0.1:9/disk.raw' },
    error:
      /Connection refused.*Check image_source, and that the machine can reach its server; with image_download_source = local the daemon downloads the image\.$/,
  },
  {
    title: 'a web page instead of an image',
    content: () => Buffer.from(PAGE),
    error:
      /Check that image_source is the image of a whole disk, in the format of image_disk_format; for a file system set image_type = partition\.$/,
  },
  {
    title: 'an image without a partition table',
    content: () => Buffer.alloc(MEBIBYTE),
    error:
      /Check that image_source is the image of a whole disk, in the format of image_disk_format; for a file system set image_type = partition\.$/,
  },
  {
    title: 'an image of another format than declared',
    content: (t) => qemuImage(t, 'qcow2', disk()),
    error:
      /Check that image_source is the image of a whole disk, in the format of image_disk_format; for a file system set image_type = partition\.$/,
  },
  {
    title: 'a disk without room',
    options: { machine: { hasFullDisk: true } },
    error:
      /No space left on device\. The image is larger than the disk; correct root_device, or use a smaller image\.$/,
  },
  {
    title: 'a root device hint that no disk has',
    options: { properties: { root_device: { serial: 'ANOTHER' } } },
    error:
      /using these hints .*\. Correct root_device in the properties or the instance_info of the node; its inventory lists its disks\.$/,
  },
  {
    title: 'a disk of another size than the root device hint',
    options: { properties: { root_device: { size: 9000 } } },
    error:
      /using these hints .*\. Correct root_device in the properties or the instance_info of the node; its inventory lists its disks\.$/,
  },
  {
    title: 'a step that the ramdisk does not have',
    request: { deploy_steps: [{ interface: 'deploy', step: 'polish', args: {}, priority: 70 }] },
    error: /deploy_steps: the node has no deploy step deploy\.polish\.$/,
  },
  {
    title: 'a step that the agent cannot carry out',
    request: { deploy_steps: [injected('7')] },
    error: /Step deploy\.inject_files failed: /,
  },
];

describe('a deployment with the real agent', { skip, concurrency: 4 }, () => {
  const site = siteOf();
  for (const failure of failures)
    it(`fails with ${failure.title}`, async (t) => void (await fails(t, site(), failure)));
});
