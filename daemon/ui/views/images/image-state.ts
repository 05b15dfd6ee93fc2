// The state of an image in words, and how far its fetch has come.
import { UPLOADED } from '../../../model/instance/image.ts';
import type { ImageShown } from '../../read/images.ts';
import { bytesText, html, type Markup } from '../../kit/markup.ts';
import { type Tone, toneMark } from '../../kit/state.ts';
import { progressBar } from '../../kit/surfaces.ts';

const TONES: Readonly<Record<ImageShown['image']['state'], Tone>> = {
  known: 'idle',
  fetching: 'working',
  ready: 'good',
  failed: 'broken',
};

export function imageState({ image, progress }: ImageShown): Markup {
  const { state, source, name } = image;
  if (progress !== undefined) {
    const { bytes, total } = progress;
    const word = source === UPLOADED ? 'being uploaded' : 'fetching';
    const far = total === null ? bytesText(bytes) : `${bytesText(bytes)} of ${bytesText(total)}`;
    const bar =
      total === null ? { max: 1 } : { value: Math.floor((bytes / Math.max(1, total)) * 100), max: 100 };
    return html`${toneMark('working', word)} ${progressBar(`Fetch of ${name}`, bar)} <small>${far}</small>`;
  }
  const word = state === 'known' ? (source === UPLOADED ? 'no content' : 'not fetched') : state;
  return toneMark(TONES[state], word);
}

/** `signed` with a good signature, or what else the content was verified with. */
export function verifiedWith({ image: { signature, digest, state } }: Pick<ImageShown, 'image'>): string {
  if (state !== 'ready') return '';
  if (signature !== null && signature !== 'none') return 'signature';
  return digest === null ? 'its format' : (digest.split(':', 1)[0] ?? '');
}
