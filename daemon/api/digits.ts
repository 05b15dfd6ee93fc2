// Numbers that clients may also write in digits.

/** The record with `key`, if it has it, as a number. */
export function withNumber<R extends object>(record: R, key: keyof R & string): R {
  return key in record ? { ...record, [key]: Number(record[key]) } : record;
}
