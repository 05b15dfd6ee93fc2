// `properties.capabilities`: a list of names and values in one text, as in `boot_mode:uefi,cpu_vt:true`.

/** Returns `text` with the capability set, replacing its earlier value; undefined removes it. */
export function withCapability(text: string, name: string, value: string | undefined): string {
  const entries = text.split(',').filter((entry) => entry !== '');
  const isEarlier = (entry: string) => entry.split(':', 1)[0]?.trim() === name;
  const others = entries.filter((entry) => !isEarlier(entry));
  if (value === undefined) return others.join(',');
  const place = entries.findIndex(isEarlier);
  return others.toSpliced(place < 0 ? others.length : place, 0, `${name}:${value}`).join(',');
}
