// What a browser measures while it shows a view: bytes, paints, tasks that block it, and shifts of the layout.
import type { Page } from 'playwright-core';

/** The most bytes that the first visit of a view may transfer, console aside. */
export const MOST_BYTES = 150_000;

export interface Measured {
  /** Of the page and its files, as they were sent. */
  readonly bytes: number;
  /** Milliseconds until the first content was on the screen. */
  readonly firstPaint: number;
  /** Milliseconds in tasks of 50 ms and more. */
  readonly longTasks: number;
}

const OBSERVE = `
  globalThis.shifts = [];
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      globalThis.shifts.push({ value, moved: sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? '') });
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
`;

/** Call before the page is opened. */
export const measure = (page: Page): Promise<unknown> => page.addInitScript(OBSERVE);

export const measured = (page: Page): Promise<Measured> =>
  page.evaluate(`({
    bytes: performance.getEntries().reduce((sum, { transferSize = 0 }) => sum + transferSize, 0),
    firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    longTasks: globalThis.longTasks.reduce((sum, each) => sum + each, 0),
  })`);

export interface Shift {
  /** The share of the window that moved, times how far. */
  readonly value: number;
  /** The beginnings of the elements that moved. */
  readonly moved: readonly string[];
}

/** The shifts since the last call, or since the page was opened; those of the last frame are among them. */
export const shiftsOf = (page: Page): Promise<readonly Shift[]> =>
  page.evaluate(`(async () => {
    for (const _ of [1, 2, 3]) await new Promise(requestAnimationFrame);
    return globalThis.shifts.splice(0);
  })()`);
