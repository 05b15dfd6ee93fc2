// What monitoring observes.
import type { Services } from '../conductor/services.ts';

export interface ObservedServices extends Pick<
  Services,
  | 'bmcs'
  | 'clock'
  | 'config'
  | 'db'
  | 'host'
  | 'log'
  | 'sensors'
  | 'timeline'
  | 'transitions'
  | 'workers'
  | 'workTimes'
> {}
