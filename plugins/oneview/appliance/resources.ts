// The resources that the driver reads, how it recognises each, and which of them an operation cannot do without. An answer of
// another form is never taken for the resource: it would seem to be a server without a profile, or one that is off.
import { isJsonObject, type JsonObject } from '#plugin-api';
import { isSameUri } from '../server/ownership.ts';
import { textOf } from './answer.ts';

export interface ApplianceResource {
  /** What the resource is, as part of a sentence. */
  readonly what: string;
  readonly fits: (body: JsonObject, path: string) => boolean;
}

const isOwn = (body: JsonObject, path: string): boolean => isSameUri(textOf(body, 'uri'), path);
const has = (body: JsonObject, ...names: readonly string[]): boolean =>
  names.every((name) => textOf(body, name) !== '');
const isTextOrNull = (body: JsonObject, name: string): boolean =>
  body[name] === null || typeof body[name] === 'string';

export const resources = {
  /** No operation can do without it: it says who has the server, whether the server is on, and what the appliance does to it. */
  server: {
    what: 'the server hardware',
    fits: (body, path) =>
      isOwn(body, path) && has(body, 'powerState', 'state') && isTextOrNull(body, 'serverProfileUri'),
  },
  /** Validation cannot do without it, because it compares the template with the server. Nothing else reads it. */
  template: { what: 'the server profile template', fits: isOwn },
  /** Taking a server cannot do without it: it is what the new profile is made of. */
  newProfile: {
    what: 'a new server profile',
    fits: (body) => textOf(body, 'type').startsWith('ServerProfile'),
  },
  /**
   * Reading and changing the boot device cannot do without it: the whole profile is written back. Neither can the decision on a
   * profile that the daemon may have created just before a crash: its name tells.
   */
  profile: { what: 'the server profile', fits: (body, path) => isOwn(body, path) && has(body, 'name') },
  /**
   * Removing what an interrupted creation left cannot do without it. Giving a server back can: the next time the server is taken,
   * the driver looks again.
   */
  profiles: {
    what: 'a list of server profiles',
    fits: ({ members, nextPageUri = null }) =>
      Array.isArray(members) &&
      members.every((member) => isJsonObject(member) && has(member, 'name', 'uri')) &&
      (nextPageUri === null || typeof nextPageUri === 'string'),
  },
  /** Every operation can do without it: the server shows what became of its profile. */
  task: { what: 'a task', fits: (body) => has(body, 'taskState') },
  /**
   * Only servers without a port map cannot do without it and the iLO, for their MAC addresses. A boot device for one boot is set in
   * the profile instead, and whether one is set is then unknown.
   */
  console: { what: 'access to the iLO', fits: (body) => has(body, 'remoteConsoleUrl') },
} as const satisfies Readonly<Record<string, ApplianceResource>>;
