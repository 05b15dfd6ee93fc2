// What the claims of a provider say: the name of the user, and the role.
import type { Config } from '../../../config/sections/core-sections.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import { type Role, roles } from '../../../model/roles.ts';

/** The name and the role, or why there are none. */
export type Claimed = { readonly user: string; readonly role: Role } | { readonly refusal: string };

type Mapping = Pick<Config['oidc'], 'user_claim' | 'roles_claim' | 'readers' | 'operators' | 'admins'>;

const LONGEST_NAME = 200;

/** A user of the password file cannot have a name with a colon. */
const PREFIX = 'oidc:';

/** Whether the claims have what the mapping reads. */
export const hasClaims = ({ user_claim: user, roles_claim: role }: Mapping, claims: JsonObject): boolean =>
  [user, role].every((name) => claimAt(claims, name) !== undefined);

export function claimedUser(mapping: Mapping, claims: JsonObject): Claimed {
  const { user_claim: userClaim, roles_claim: rolesClaim } = mapping;
  const name = claimAt(claims, userClaim);
  if (typeof name !== 'string' || name === '' || name.length > LONGEST_NAME || /\p{Cc}/u.test(name))
    return {
      refusal: `the claim ${userClaim} ([oidc] user_claim) is not a name of up to ${LONGEST_NAME} characters without control characters`,
    };
  const given = new Set([claimAt(claims, rolesClaim)].flat());
  const listed = { reader: mapping.readers, operator: mapping.operators, admin: mapping.admins };
  const role = roles.findLast((each) => listed[each].some((value) => given.has(value)));
  if (role === undefined)
    return {
      refusal: `no value of the claim ${rolesClaim} of user ${name} gives a role; [oidc] readers, operators and admins list the values that do`,
    };
  return { user: `${PREFIX}${name}`, role };
}

/** A claim whose name has dots, such as a URL, comes before the way through objects that the dots describe. */
function claimAt(claims: JsonObject, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (at, part) => (isJsonObject(at) && Object.hasOwn(at, part) ? at[part] : undefined),
      claims,
    );
}
