// Preloaded into a daemon with `NODE_OPTIONS=--import=...`: measures the event loop delay of its main thread.
// Each SIGUSR2 prints the measurements since the last one.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Resolution in milliseconds: the timer behind the histogram fires this often, so an idle event loop shows about this delay. */
const RESOLUTION = 1;

const milliseconds = (nanoseconds: number) => Math.round(nanoseconds / 1e4) / 100;

if (isMainThread) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  histogram.enable();
  process.on('SIGUSR2', () => {
    const delay = {
      mean: milliseconds(histogram.mean),
      p99: milliseconds(histogram.percentile(99)),
      max: milliseconds(histogram.max),
    };
    histogram.reset();
    console.log(JSON.stringify({ msg: 'event loop delay', milliseconds: delay }));
  });
}
