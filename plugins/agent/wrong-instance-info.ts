// The refusal of a field of instance_info.
import { fault } from '#plugin-api';

export const wrongInstanceInfo = (field: string, reason: string) =>
  fault('InvalidParameter', { name: `instance_info/${field}`, reason });
