// Numbers that clients may also send as strings of digits.

/** Returns the record with the value of `key`, if present, as a number. */
export function withNumber<R extends object>(record: R, key: keyof R & string): R {
  return key in record ? { ...record, [key]: Number(record[key]) } : record;
}
