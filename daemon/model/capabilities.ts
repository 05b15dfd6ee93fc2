// `properties.capabilities`: names and values in one text, as in `boot_mode:uefi,cpu_vt:true`.

/** `text` with the capability set, in the place of an earlier value; undefined takes it out. */
export function withCapability(text: string, name: string, value: string | undefined): string {
  const others = text.split(',').filter((entry) => entry !== '' && entry.split(':', 1)[0]?.trim() !== name);
  return (value === undefined ? others : [...others, `${name}:${value}`]).join(',');
}
