// Who uses a server: nobody, the daemon, or a user of OneView.

/** The facts that decide. The driver recognises its profile by the URI, or by the name as long as the URI is not stored. */
export interface Evidence {
  /** `serverProfileUri` of the server hardware; empty when it has no profile. */
  readonly assigned: string;
  /** `applied_server_profile_uri` of the node; empty when the driver has applied none. */
  readonly applied: string;
  /** The name of the profile that the driver was creating; empty when it was creating none. */
  readonly intended: string;
  /** The name of the assigned profile; empty when it was not needed or is not known. */
  readonly assignedName: string;
}

export type Ownership =
  /** `isStale`: whether the node names a profile that the server no longer has. */
  | { readonly kind: 'free'; readonly isStale: boolean }
  /** `isRecorded`: whether the node names the profile. */
  | { readonly kind: 'ironic'; readonly profile: string; readonly isRecorded: boolean }
  | { readonly kind: 'oneview'; readonly profile: string };

export function ownershipOf({ assigned, applied, intended, assignedName }: Evidence): Ownership {
  if (assigned === '') return { kind: 'free', isStale: applied !== '' };
  if (isSameUri(assigned, applied)) return { kind: 'ironic', profile: assigned, isRecorded: true };
  const isIntended = intended !== '' && assignedName === intended;
  return isIntended
    ? { kind: 'ironic', profile: assigned, isRecorded: false }
    : { kind: 'oneview', profile: assigned };
}

/** Compares URIs of the appliance, in whose identifiers upper and lower case do not matter. */
export const isSameUri = (one: string, other: string): boolean => comparable(one) === comparable(other);

const comparable = (uri: string) => (uri.endsWith('/') ? uri.slice(0, -1) : uri).toLowerCase();
