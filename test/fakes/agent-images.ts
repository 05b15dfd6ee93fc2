// Images as `ironic-edge agent-image build` makes them, with a line of text for the kernel and one for the ramdisk.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentImage, FoundImage } from '../../daemon/cli/agent-image/agent-images.ts';
import { hostArchitecture } from '../../daemon/cli/agent-image/build/packages.ts';

/** Makes an image in the directory. `name` also tells what it was built of. */
export function plantImage(directory: string, name: string, facts: Partial<AgentImage> = {}): FoundImage {
  const folder = path.join(directory, name);
  mkdirSync(folder, { recursive: true });
  const digests = ['kernel', 'ramdisk'].map((part) => {
    const text = `${part} of ${name}`;
    writeFileSync(path.join(folder, `agent.${part}`), text);
    return createHash('sha256').update(text).digest('hex');
  });
  const image: AgentImage = {
    recipe: 'r',
    suite: 'trixie',
    architecture: hostArchitecture(),
    built: '2026-01-01T00:00:00.000Z',
    agent: '10.2.0-1',
    kernel: '6.12.1',
    debian: '13.2',
    sha256: { kernel: digests[0] ?? '', ramdisk: digests[1] ?? '' },
    ...facts,
  };
  writeFileSync(path.join(folder, 'build.json'), JSON.stringify(image));
  return { name, folder, image };
}
