// What finding BMCs needs, and what the rooms above use of it.
import type { RecordServices } from '../records/services.ts';
import type { FoundBmcs } from './found-bmcs.ts';

export interface FindingServices extends RecordServices {
  readonly foundBmcs: FoundBmcs;
}
