// Links and collections as OData has them.
import type { Json, JsonObject } from '../../../model/json.ts';

export const link = (path: string): JsonObject => ({ '@odata.id': path });

export function collection(kind: string, members: readonly string[]): JsonObject {
  return {
    '@odata.type': `#${kind}Collection.${kind}Collection`,
    Name: kind,
    'Members@odata.count': members.length,
    Members: members.map(link),
  };
}

export const textOf = (value: Json | undefined, otherwise = ''): string =>
  typeof value === 'string' ? value : otherwise;
