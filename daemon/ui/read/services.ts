// What the views read.
import type { Services } from '../../conductor/services.ts';

export interface ReadServices extends Pick<
  Services,
  | 'bmcs'
  | 'clock'
  | 'config'
  | 'consoles'
  | 'db'
  | 'links'
  | 'locks'
  | 'plugins'
  | 'registry'
  | 'sensors'
  | 'timeline'
  | 'workers'
  | 'workTimes'
> {}
