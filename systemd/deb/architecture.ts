// The architectures that a package can be for.

export interface PackageArchitecture {
  readonly debian: 'amd64' | 'arm64';
  /** What Node.js and npm call it. */
  readonly node: 'x64' | 'arm64';
}

const architectures: readonly PackageArchitecture[] = [
  { debian: 'amd64', node: 'x64' },
  { debian: 'arm64', node: 'arm64' },
];

/** Returns the architecture that Debian calls `asked`, or that of the host if `asked` is undefined. Throws for an unknown name. */
export function architectureFrom(asked: string | undefined, host: string): PackageArchitecture {
  const found = architectures.find(({ debian, node }) =>
    asked === undefined ? node === host : debian === asked,
  );
  if (found !== undefined) return found;
  throw new Error(`${asked ?? host}: no package for this architecture; expected amd64 or arm64`);
}
