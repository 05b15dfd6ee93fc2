// The view Images: the catalogue, with the state of each image and the machines that run it.
import type { ImageShown, ImagesShown } from '../../read/images.ts';
import { linkButton } from '../../kit/controls.ts';
import { bytesText, html, type Markup, plural, timeAgo } from '../../kit/markup.ts';
import { card, emptyState, pageHead } from '../../kit/surfaces.ts';
import { type Column, table } from '../../kit/table.ts';
import type { PageView } from '../layout.ts';
import { imageState, verifiedWith } from './image-state.ts';

const ADD = '/ui/images/add';

export const imagesPage = (shown: ImagesShown): PageView => ({
  title: 'Images',
  at: '/ui/images',
  body: imagesView(shown),
});

export function imagesView({ images, now }: ImagesShown): Markup {
  const body =
    images.length === 0
      ? emptyState({
          icon: 'image',
          title: 'No image yet',
          text: 'An image is a system that is written to the disks of machines. Add one of a distribution by its name, one by its URL, or upload a file.',
          buttons: [linkButton(ADD, { label: 'Add an image', look: 'primary', icon: 'add' })],
        })
      : table({ about: 'Images', rows: images, columns: columnsAt(now) });
  return html`${pageHead('Images', {
      lead: plural(images.length, 'image'),
      buttons:
        images.length === 0 ? [] : [linkButton(ADD, { label: 'Add an image', look: 'primary', icon: 'add' })],
    })}
    <div id="images" data-live data-every="3">${card({ flush: true, body })}</div>`;
}

const columnsAt = (now: number): readonly Column<ImageShown>[] => [
  {
    title: 'Image',
    isName: true,
    cell: ({ image }) => html`<a href="/ui/images/${image.uuid}">${image.name}</a>`,
  },
  { title: 'State', cell: imageState },
  { title: 'For', look: 'soft', cell: ({ image }) => image.architecture ?? 'any machine' },
  {
    title: 'Size',
    look: 'number',
    cell: ({ image }) => (image.bytes === null ? '' : bytesText(image.bytes)),
  },
  { title: 'Fetched', look: 'soft', cell: ({ image }) => timeAgo(image.fetched_at, now) },
  { title: 'Verified by', look: 'soft', cell: verifiedWith },
  {
    title: 'Runs on',
    look: 'number',
    cell: ({ runsOn }) => (runsOn.length === 0 ? '' : plural(runsOn.length, 'machine')),
  },
  {
    title: 'Remarks',
    look: 'wide',
    cell: ({ image }) => (image.error === null ? '' : html`<span class="text-broken">${image.error}</span>`),
  },
];
