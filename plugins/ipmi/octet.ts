// Octets as operators write them for ipmitool.

const NOTATION = /^(?:0x[0-9a-f]{1,2}|\d{1,3})$/i;

/** Whether the text is a number from 0 to 255, decimal or hexadecimal such as 0x20. */
export const isOctet = (text: string): boolean => NOTATION.test(text) && Number(text) <= 255;
