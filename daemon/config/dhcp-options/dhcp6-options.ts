// The DHCPv6 options that have a name, and the type of each (IANA, "Option Codes" of DHCPv6). Their names are those of Kea.
import type { KnownOption } from './known-options.ts';

export const dhcp6Options: readonly KnownOption[] = (
  [
    [23, 'dns-servers', 'ip6s'],
    [24, 'domain-search', 'domains'],
    [31, 'sntp-servers', 'ip6s'],
    [32, 'information-refresh-time', 'uint32'],
    [41, 'new-posix-timezone', 'text'],
    [42, 'new-tzdb-timezone', 'text'],
    [52, 'capwap-ac', 'ip6s'],
    [56, 'ntp-server', 'time-servers'],
    [60, 'bootfile-param', 'prefixed'],
    [82, 'sol-max-rt', 'uint32'],
    [83, 'inf-max-rt', 'uint32'],
    [103, 'captive-portal', 'text'],
  ] as const
).map(([code, name, type]) => ({ code, name, type, choices: undefined }));

/** Why an option cannot be set, by code: the daemon or the client decides its value. */
export const decidedDhcp6Options: ReadonlyMap<number, string> = new Map([
  ...[2, 3, 4, 5, 7, 13, 14, 16, 25, 26].map((code) => [code, 'the daemon sets it in each message'] as const),
  ...[1, 6, 8, 15, 61, 62].map((code) => [code, 'only clients send it'] as const),
  ...[9, 18, 37, 38, 79].map((code) => [code, 'only relays send it'] as const),
  ...[11, 19, 20].map((code) => [code, 'it authenticates messages, which the daemon does not do'] as const),
  [12, 'the daemon answers messages to all servers only'],
  [59, 'the daemon names the file that the machine boots'],
]);

/** The word of `[dhcp_server] subnet` that sets the option. `domain` sets one domain; domain-search, which may have several, replaces it. */
export const dhcp6SubnetWords: ReadonlyMap<number, string> = new Map([
  [23, 'dns'],
  [31, 'ntp'],
  [56, 'ntp'],
]);
