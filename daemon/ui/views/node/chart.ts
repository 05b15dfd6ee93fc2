// A line of readings over 24 hours, with the band between the least and the greatest, as SVG. The numbers are beside it in text.
import type { SensorCourse } from '../../../conductor/bmcs/sensor-history.ts';
import { html, type Markup } from '../../kit/markup.ts';

const HEIGHT = 60;
/** Above and below the line. */
const MARGIN = 4;

export interface ChartParts {
  readonly course: Pick<SensorCourse, 'mean' | 'least' | 'greatest'>;
  /** What the chart shows, in words. */
  readonly about: string;
  /** A line goes over at most this many times without a reading. */
  readonly longestGap: number;
}

export function lineChart({ course, about, longestGap }: ChartParts): Markup {
  const { mean, least, greatest } = course;
  const scale = scaleOf(least, greatest);
  const runs = runsOf(mean, longestGap);
  const point = (values: SensorCourse['mean'], at: number) => `${at} ${scale(values[at] ?? 0).toFixed(1)}`;
  const line = (run: readonly number[]) => `M${run.map((at) => point(mean, at)).join('L')}${tail(run)}`;
  const band = (run: readonly number[]) =>
    `M${run.map((at) => point(greatest, at)).join('L')}L${run
      .toReversed()
      .map((at) => point(least, at))
      .join('L')}Z`;
  return html`<svg
    class="chart"
    viewBox="0 0 ${mean.length} ${HEIGHT}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${about}"
  >
    <path class="band" d="${runs.map(band).join('')}" />
    <path class="line" d="${runs.map(line).join('')}" />
  </svg>`;
}

/** A single reading is a line without length, which its round ends make a dot. */
const tail = (run: readonly number[]): string => (run.length === 1 ? 'h0.01' : '');

/** Returns a function from a reading to its height. Readings that hardly differ do not fill the height. */
function scaleOf(
  least: SensorCourse['least'],
  greatest: SensorCourse['greatest'],
): (value: number) => number {
  const low = Math.min(...least.filter((value) => value !== null));
  const high = Math.max(...greatest.filter((value) => value !== null));
  const span = Math.max(high - low, Math.abs(high) * 0.05, 1);
  const bottom = (low + high - span) / 2;
  return (value) => HEIGHT - MARGIN - ((value - bottom) / span) * (HEIGHT - 2 * MARGIN);
}

/** Returns the places of the readings, divided where the gap between two is too long. */
function runsOf(mean: SensorCourse['mean'], longestGap: number): readonly (readonly number[])[] {
  const runs: number[][] = [];
  for (const [at, value] of mean.entries()) {
    if (value === null) continue;
    const run = runs.at(-1);
    if (run === undefined || at - (run.at(-1) ?? 0) > longestGap + 1) runs.push([at]);
    else run.push(at);
  }
  return runs;
}
