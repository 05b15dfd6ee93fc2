// The page of one image: what it is, where it runs, and what can be done with it.
import type { ImageFacts } from '../../read/images.ts';
import { button, linkButton } from '../../kit/controls.ts';
import { checkField, inputField } from '../../kit/fields.ts';
import { bytesText, html, type Markup, plural, timeAgo } from '../../kit/markup.ts';
import { card, facts, notice, pageHead } from '../../kit/surfaces.ts';
import type { PageView } from '../layout.ts';
import { imageState } from './image-state.ts';

export interface ImageAnswer {
  /** Why the API refused what the visitor asked for. */
  readonly refusal?: string;
  readonly isWrongWord?: boolean;
}

type Shown = ImageFacts & { readonly now: number };

export const imagePage = (shown: Shown, answer: ImageAnswer = {}): PageView => ({
  title: shown.image.name,
  at: '/ui/images',
  body: imageView(shown, answer),
});

export function imageView(shown: Shown, answer: ImageAnswer): Markup {
  const { image } = shown;
  return html`${pageHead(image.name, {
      lead: image.description ?? '',
      buttons: [linkButton('/ui/images', { label: 'Images', icon: 'back' }), ...deeds(shown)],
    })}
    <div class="stack">
      ${answer.refusal === undefined ? '' : notice('broken', answer.refusal, true)}
      <div id="image" class="stack" data-live data-every="3">
        ${image.error === null ? '' : notice('broken', html`<strong>The last fetch failed.</strong> ${image.error} ${image.state === 'ready' ? 'What was kept before stays.' : ''}`)}
        ${card({ title: 'Image', body: factsOf(shown) })}
        ${card({ title: 'Runs on', aside: plural(shown.runsOn.length, 'machine'), body: usersOf(shown) })}
      </div>
      ${removal(shown, answer)}
    </div>`;
}

function deeds({ image, source, progress }: Shown): readonly Markup[] {
  const { uuid, state } = image;
  const isBusy = progress !== undefined;
  const form = (label: string, value: string, look?: 'primary') =>
    html`<form method="post" action="/ui/images">
      <input type="hidden" name="image" value="${uuid}" />
      ${button({ label, name: 'do', value, ...(look !== undefined && { look }) })}
    </form>`;
  return [
    ...(state === 'ready' ? [form('Verify the copy', 'verify')] : []),
    ...(source === undefined
      ? [
          linkButton(`/ui/images/add?name=${encodeURIComponent(image.name)}#upload`, {
            label: 'Upload',
            icon: 'upload',
            look: 'primary',
          }),
        ]
      : isBusy
        ? []
        : [form(state === 'ready' ? 'Update' : 'Fetch', 'fetch', 'primary')]),
  ];
}

function factsOf(shown: Shown): Markup {
  const { image, source, checksum, now } = shown;
  const { architecture, min_disk_gib: disk, bytes, fetched_at: at, signature, digest, sha256 } = image;
  return facts([
    ['State', imageState(shown)],
    ['Source', source === undefined ? 'uploaded' : html`<span class="mono">${source}</span>`],
    ['Checksum', checksum === null ? null : html`<span class="mono">${checksum}</span>`],
    ['For', architecture ?? 'any machine'],
    ['Smallest disk', disk === null ? null : `${disk} GiB`],
    ['Login user', image.login_user],
    ['Size', bytes === null ? null : bytesText(bytes)],
    ['Fetched', at === null ? null : timeAgo(at, now)],
    ['Signature', signature],
    ['Verified with', digest === null ? null : html`<span class="mono">${digest}</span>`],
    ['SHA-256', sha256 === null ? null : html`<span class="mono">${sha256}</span>`],
    ['UUID', html`<span class="mono">${image.uuid}</span>`],
  ]);
}

const usersOf = ({ runsOn }: Shown): Markup =>
  runsOn.length === 0
    ? html`<p>No machine runs it.</p>`
    : html`<p class="row">
        ${runsOn.map((name) => html`<a class="chip" href="/ui/nodes/${encodeURIComponent(name)}">${name}</a>`)}
      </p>`;

const MOST_NAMED = 20;

function removal({ image, namedBy }: Shown, { isWrongWord = false }: ImageAnswer): Markup {
  const others = namedBy.length - MOST_NAMED;
  const users = `${namedBy.slice(0, MOST_NAMED).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  return html`<details class="card folded changes" id="removal" ${isWrongWord ? html`open` : ''}>
    <summary>Remove</summary>
    <form class="body form" method="post" action="/ui/images">
      <input type="hidden" name="image" value="${image.uuid}" />
      <p>
        ${
          namedBy.length === 0
            ? 'Nothing uses the image. The daemon forgets it, and removes its copy.'
            : `Used by ${users}. Machines that run it cannot be rebuilt with it any more, and profiles with it are of no use.`
        }
      </p>
      ${namedBy.length === 0 ? '' : checkField({ name: 'force', label: 'Remove it although it is used' })}
      ${inputField({ name: 'confirm', label: `Type ${image.name} to confirm`, wrong: isWrongWord ? `that was not “${image.name}”` : undefined })}
      <div class="buttons">
        ${button({ label: 'Remove', name: 'do', value: 'remove', look: 'losing', icon: 'trash' })}
      </div>
    </form>
  </details>`;
}
