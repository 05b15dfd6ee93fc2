// "#plugin-api/ipmi": what plugins for BMCs of a vendor build on.
export { type IpmiRequest, ipmitool } from './ipmitool.ts';
