// Reads the disks of an inventory.
import { isJsonObject, type Json, type JsonObject } from '#plugin-api';

export const disksOf = ({ disks }: JsonObject): readonly JsonObject[] =>
  Array.isArray(disks) ? (disks as readonly Json[]).filter(isJsonObject) : [];
