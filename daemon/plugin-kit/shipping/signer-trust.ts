// Decides whether a package may be installed: compares who signed it with the expected signer.

export interface Expected {
  /** The fingerprint that the operator names. */
  readonly key: string | undefined;
  /** The fingerprint of the key that signed the installed version: null if it is not signed, undefined if none is installed. */
  readonly installed: string | null | undefined;
  readonly allowsUnsigned: boolean;
}

/**
 * Returns in words who signed the package, or `not signed` if it is not signed and the operator allows that. Throws an Error with
 * the reason when no trusted key signed the package.
 */
export function trustedSigner(
  signer: string | undefined,
  { key, installed, allowsUnsigned }: Expected,
): string {
  if (signer === undefined) {
    if (key === undefined && allowsUnsigned) return 'not signed';
    const expected = key === undefined ? '' : ` by ${key}`;
    throw new Error(
      `it is not signed${expected}, so nobody vouches for it. Ask the vendor for a signed package, or install this one at your own risk with --unsigned and without --key`,
    );
  }
  const wanted = key ?? installed ?? undefined;
  if (signer === wanted) return `signed by ${signer}`;
  if (key !== undefined) throw new Error(`it is signed by ${signer}, not by ${key}`);
  if (wanted !== undefined)
    throw new Error(
      `it is signed by ${signer}, the installed version by ${wanted}. Ask the vendor; if the new key is theirs, add: --key ${signer}`,
    );
  throw new Error(
    `it is signed by ${signer}. Compare this with the fingerprint that the vendor publishes; if they are equal, add: --key ${signer}`,
  );
}
