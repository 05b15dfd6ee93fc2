// The UUID and the name in the body of a record that is named like a host.
import { isLogicalName, LOGICAL_NAME_RULE } from '../../conductor/records/find-record.ts';
import { parseUuidOrThrow } from '../../http/parameter-kinds.ts';
import { fault } from '../../model/faults.ts';

/** Returns `given` with its UUID as records have it. Throws InvalidName or InvalidUuid. */
export function withCheckedName<Given extends { readonly uuid?: string; readonly name?: string }>(
  resource: string,
  given: Given,
): Given {
  const { uuid, name } = given;
  if (name !== undefined && !isLogicalName(name))
    throw fault('InvalidName', { name, resource, reason: LOGICAL_NAME_RULE });
  return uuid === undefined ? given : { ...given, uuid: parseUuidOrThrow(uuid) };
}
