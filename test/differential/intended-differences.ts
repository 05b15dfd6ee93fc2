// Every difference from OpenStack's own Ironic that is meant, with its reason. Any other is a fault of ours; one that no
// longer occurs is a fault of this list.
import { ABSENT } from './compare.ts';
import type { Release } from './ironic-process.ts';

export interface IntendedDifference {
  readonly reason: string;
  /** Of `METHOD /path body`. */
  readonly request: RegExp;
  /** Of `status`, `header location`, `body.nodes[].name`. */
  readonly aspect: RegExp;
  /** Any value unless given. */
  readonly theirs?: unknown;
  /** Any value unless given. */
  readonly ours?: unknown;
  /** The release of Ironic that differs; both unless given. */
  readonly only?: Release;
}

export const intendedDifferences: readonly IntendedDifference[] = [
  {
    reason: 'What the router refuses carries the version headers too: clients negotiate with them.',
    request: /./,
    aspect: /^header x-openstack-ironic-api-/,
    theirs: ABSENT,
  },
  {
    reason: 'There is one form of error document; clients know it, and fall back to it.',
    request: /./,
    aspect: /^body\.error_message$/,
    theirs: 'code description title',
    ours: 'Client debuginfo faultcode faultstring',
  },
  {
    reason: 'Error documents are JSON even for clients that would rather have HTML.',
    request: /^GET \/v1\/nodes$/,
    aspect: /^body\.error_message$/,
    theirs: '(not JSON)',
    ours: 'Client debuginfo faultcode faultstring',
  },
  {
    reason: 'The version documents describe this daemon.',
    request: /^\w+ \/(\?unknown=1)?$/,
    aspect: /^body\.description$/,
  },
  {
    reason: 'The address of the documentation is written without doubled slashes.',
    request: /^GET \/v1\/?$/,
    aspect: /^body\.links\[\]\.href$/,
    theirs: 'https://docs.openstack.org//ironic/latest/contributor//webapi.html',
  },
];
