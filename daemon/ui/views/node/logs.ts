// The tab Logs of a machine: the saved logs of its ramdisks, to download.
import type { Logs } from '../../read/node-tabs.ts';
import { html, type Markup, plural, timeOf } from '../../kit/markup.ts';
import { card, emptyState } from '../../kit/surfaces.ts';

export const logsTab = ({ node, collect, saved }: Logs): Markup =>
  card({
    title: 'Logs of ramdisks',
    aside: saved.length === 0 ? '' : plural(saved.length, 'file'),
    flush: true,
    body:
      saved.length === 0
        ? emptyState({ icon: 'file', title: 'No log is saved', text: rule(collect) })
        : html`<ul class="entries">
            ${saved.map(
              ({ file, bytes, at }) =>
                html`<li>
                  <a href="/ui/nodes/${node}/logs/${encodeURIComponent(file)}" download="${file}">${file}</a>
                  <small>${Math.ceil(bytes / 1024)} KiB, ${timeOf(at)}</small>
                </li>`,
            )}
          </ul>`,
    ...(saved.length > 0 && { footer: html`<small>${rule(collect)}</small>` }),
  });

const rule = (collect: string): Markup =>
  html`Logs are saved as <code>[agent] deploy_logs_collect = ${collect}</code> says.`;
