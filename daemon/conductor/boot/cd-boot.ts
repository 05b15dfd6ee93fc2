// Serves CD images to BMCs: images that operators name, and images that the daemon makes of a kernel and a ramdisk.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { commandLine } from '../../boot/scripts/kernel-command-line.ts';
import { secretName } from '../../boot/secret-names.ts';
import { makeBootCd } from '../../images/boot-cd.ts';
import { Fault, fault, reasonOf } from '../../model/faults.ts';
import { changeInfo } from '../../model/internal-info.ts';
import type { CdBoot } from '../../plugin-api/index.ts';
import { partNames } from './check-boot.ts';
import { kernelAndRamdisk } from './kernel-and-ramdisk.ts';
import { urlForBmc } from './url-for-bmc.ts';
import type { NetworkBootTask } from './services.ts';

/** Returns the URL of the image, which is served until `withdrawBoot`. */
export async function serveCd(task: NetworkBootTask, cd: CdBoot): Promise<string> {
  const { networkBoots } = task.services;
  const { uuid } = task.node;
  const file = cd.kind === 'iso' ? await fetched(task, cd.iso, partNames.iso) : await made(task, cd);
  const name = secretName('boot.iso');
  networkBoots.set(uuid, { cd: file, name });
  return urlForBmc(task, name);
}

/** Removes the image that was made for the node, if any. */
export const removeCd = (task: NetworkBootTask): Promise<void> => rm(fileOf(task), { force: true });

const fileOf = ({ services: { config }, node: { uuid } }: NetworkBootTask): string =>
  path.join(config.DEFAULT.state_path, 'cds', `${uuid}.iso`);

const fetched = ({ services, signal }: NetworkBootTask, url: string, part: string): Promise<string> =>
  services.images.fetch(url, part, signal);

async function made(task: NetworkBootTask, cd: CdBoot & { readonly kind: 'kernel' }): Promise<string> {
  const file = fileOf(task);
  // the agent reads its token from the CD, so the lookup need not give the token to whoever asks first
  const token = cd.agentToken ? { 'ipa-agent-token': storedToken(task) } : {};
  const { kernel, ramdisk } = await kernelAndRamdisk(cd, (reference, part) =>
    fetched(task, reference, partNames[part]),
  );
  const line = commandLine({ ...cd.parameters, ...token }, partNames.parameters);
  const title = cd.title.replace(/[^A-Za-z0-9 ._~-]/g, ' ');
  try {
    await makeBootCd({ kernel, ramdisk, commandLine: line, title, file }, task.signal);
    return file;
  } catch (error) {
    task.signal.throwIfAborted();
    if (error instanceof Fault) throw error;
    throw fault(
      'ImageUnusable',
      { image: 'the CD image of the ramdisk', reason: reasonOf(error) },
      { cause: error },
    );
  }
}

function storedToken(task: NetworkBootTask): string {
  const token = randomBytes(32).toString('base64url');
  task.store(changeInfo(task.node, { agent_secret_token: token, agent_secret_token_pregenerated: true }));
  return token;
}
