// "#plugin-api/ipmi": what plugins for a vendor's IPMI BMCs build on.
export { type IpmiRequest, ipmitool } from './ipmitool.ts';
