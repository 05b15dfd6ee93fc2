// "#plugin-api/ipmi": the functions that plugins for a vendor's IPMI BMCs build on.
export { type IpmiRequest, ipmitool } from './ipmitool.ts';
