// The last boot as a bar on a line of time, with the usual boot below it, and the same as a table.
import { html, type Markup, timeOf } from '../../kit/markup.ts';
import type { BootCourse, CourseStage } from '../../read/node/boot-course.ts';

/** A stage that is narrower than this many percent of the line has no room for its name. */
const NARROW_PERCENT = 2;

export const bootBar = (course: BootCourse): Markup =>
  html`<figure class="course">
    <svg class="now" role="img" aria-label="${sentenceOf(course)}">
      ${course.stages.map((stage) => stageBar(stage, course))}${missingBar(course)}
    </svg>
    ${
      course.usual.length === 0
        ? ''
        : html`<svg class="usual" role="img" aria-label="When each stage is usual; see the table">
            ${course.usual.map((stage) => stageBar(stage, course))}
          </svg>`
    }
    <figcaption>
      <span>${captionOf(course)}</span>
      <span>${clockText(course.seconds)}</span>
    </figcaption>
    <details id="course-table">
      <summary>As a table</summary>
      ${stageTable(course)}
    </details>
  </figure>`;

/** What the head of the card says: when the power came, and how this compares. */
export function bootLead({ since, reached, missing }: BootCourse): Markup {
  const comparison =
    reached === undefined
      ? ''
      : ` · usually ${clockText(reached.usual)} to here, now ${clockText(reached.now)}`;
  const late = missing?.late === true ? ` · ${missing.hop} is late` : '';
  return html`power on ${timeOf(since)}${comparison}${late}`;
}

function captionOf({ usual, isFromDisk }: BootCourse): string {
  if (isFromDisk) return '';
  return usual.length === 0
    ? 'How long this usually takes is not known yet.'
    : 'above: this boot · below: as usual';
}

const percent = (seconds: number, { seconds: all }: BootCourse): string =>
  ((100 * seconds) / Math.max(all, 0.001)).toFixed(2);

function stageBar({ name, from, to, state }: CourseStage, course: BootCourse): Markup {
  const width = Number(percent(to - from, course));
  return html`<svg class="${state}" x="${percent(from, course)}%" width="${width}%" height="100%">
    <title>${name}: ${clockText(to - from)}</title>
    <rect width="100%" height="100%" />
    ${width < NARROW_PERCENT ? '' : html`<text x="6" y="50%" dy="0.35em">${name}</text>`}
  </svg>`;
}

function missingBar(course: BootCourse): Markup | string {
  const { missing } = course;
  if (missing?.late !== true) return '';
  const at = percent(missing.usual, course);
  return html`<svg class="missing" x="${at}%" width="${100 - Number(at)}%" height="100%">
    <title>${missing.hop} is usually seen ${clockText(missing.usual)} after power-on</title>
    <rect width="100%" height="100%" />
    <text x="6" y="50%" dy="0.35em">no ${missing.hop}</text>
  </svg>`;
}

function stageTable({ stages, usual }: BootCourse): Markup {
  const usually = new Map(usual.map((stage) => [stage.name, stage]));
  return html`<table>
    <caption class="hidden">
      The stages of the boot
    </caption>
    <thead>
      <tr>
        ${['Stage', 'Begins after', 'Usually', 'Takes'].map((title) => html`<th scope="col">${title}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${stages.map(({ name, from, to, state }) => {
        const before = usually.get(name);
        return html`<tr>
          <th scope="row">${name}${state === 'ended' ? '' : ` (${state})`}</th>
          <td>${clockText(from)}</td>
          <td>${before === undefined ? '' : clockText(before.from)}</td>
          <td>${clockText(to - from)}</td>
        </tr>`;
      })}
    </tbody>
  </table>`;
}

function sentenceOf({ stages, missing }: BootCourse): string {
  const seen = stages.map(({ name, from, to }) => `${name} ${clockText(to - from)}`).join(', ');
  return missing?.late === true ? `${seen}; ${missing.hop} is missing` : seen;
}

/** Returns minutes and seconds: `4:07`; hours too if there are any. */
export function clockText(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours === 0
    ? `${minutes}:${padded(whole % 60)}`
    : `${hours}:${padded(minutes)}:${padded(whole % 60)}`;
}

const padded = (value: number): string => String(value).padStart(2, '0');
