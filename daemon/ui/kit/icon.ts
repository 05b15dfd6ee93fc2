// The icons of the pages: a few of Heroicons (MIT), 16 pixels wide, in the colour of the text around them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { html, type Markup, trustedMarkup } from './markup.ts';

const FILES = {
  add: 'plus',
  arrow: 'arrow-right',
  back: 'arrow-left',
  bolt: 'bolt',
  check: 'check',
  chip: 'cpu-chip',
  clock: 'clock',
  close: 'x-mark',
  console: 'command-line',
  copy: 'clipboard-document',
  disk: 'circle-stack',
  done: 'check-circle',
  down: 'chevron-down',
  download: 'arrow-down-tray',
  failed: 'x-circle',
  file: 'document-text',
  filter: 'funnel',
  image: 'archive-box',
  inbox: 'inbox-arrow-down',
  info: 'information-circle',
  key: 'key',
  memory: 'rectangle-stack',
  network: 'share',
  out: 'arrow-right-end-on-rectangle',
  play: 'play',
  power: 'power',
  refresh: 'arrow-path',
  search: 'magnifying-glass',
  server: 'server',
  servers: 'server-stack',
  settings: 'adjustments-horizontal',
  trash: 'trash',
  upload: 'arrow-up-tray',
  user: 'user-circle',
  users: 'users',
  warning: 'exclamation-triangle',
} as const;

export type IconName = keyof typeof FILES;
export const ICON_NAMES = Object.keys(FILES) as readonly IconName[];

const { resolve } = createRequire(import.meta.url);
const paths = Object.fromEntries(
  Object.entries(FILES).map(([name, file]) => {
    const svg = readFileSync(resolve(`heroicons/16/solid/${file}.svg`), 'utf8');
    return [name, trustedMarkup(svg.slice(svg.indexOf('>') + 1, svg.lastIndexOf('<')).trim())];
  }),
);

/** An icon beside a text that says the same; a button with nothing but an icon needs an `aria-label`. */
export const icon = (name: IconName): Markup =>
  html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${paths[name]}</svg>`;
