// Links of resources: self with the version, bookmark without.

export interface Link {
  readonly href: string;
  readonly rel: string;
}

export function linkPair(baseUrl: string, path: string): readonly Link[] {
  return [
    { href: `${baseUrl}/v1/${path}`, rel: 'self' },
    { href: `${baseUrl}/${path}`, rel: 'bookmark' },
  ];
}
