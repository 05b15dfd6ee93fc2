// Formats values from a ramdisk for messages: as JSON, shortened.
import type { Json } from '#plugin-api';

export function shown(value: Json | undefined): string {
  return value === undefined ? 'missing' : shorten(JSON.stringify(value), 120);
}

export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}
