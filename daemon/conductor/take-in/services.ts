// What taking in new machines needs.
import type { FlowServices } from '../flows/services.ts';
import type { TakeInQueue } from './queue.ts';

export interface TakeInServices extends FlowServices {
  readonly takeIn: TakeInQueue;
}
