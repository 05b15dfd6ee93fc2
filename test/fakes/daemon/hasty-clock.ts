// Preloaded into a daemon with `NODE_OPTIONS=--import=...`: waits of more than a second take a twentieth of their time.
import { systemClock } from '../../../daemon/lib/clock.ts';

const HASTE = 20;
const after = systemClock.after.bind(systemClock);
systemClock.after = (milliseconds, action) =>
  after(milliseconds > 1000 ? milliseconds / HASTE : milliseconds, action);
