// /v1/profiles: profiles of instances, whose names requests to deploy may give.
import { checkProfile, findInstanceProfile } from '../../conductor/images/instance-request.ts';
import { draftRecord } from '../../conductor/records/new-record.ts';
import {
  changeSimpleRecord,
  createSimpleRecord,
  type SimpleKind,
} from '../../conductor/records/simple-records.ts';
import { createBodies } from '../../http/bodies/bodies.ts';
import { withCheckedName } from '../bodies/named-record.ts';
import { type Resource, resourceRoutes } from '../../http/resource.ts';
import type { Route } from '../../http/route.ts';
import { type InstanceProfile, profileFields, profileSummary } from '../../model/instance/profile.ts';
import { MASK, maskSecrets } from '../../model/secrets.ts';

const kind: SimpleKind<InstanceProfile> = {
  resource: 'profile',
  fields: profileFields,
  table: (services) => services.db.profiles,
};

const bodies = createBodies<InstanceProfile>({
  resource: kind.resource,
  fields: profileFields,
  required: ['name'],
  unremovable: ['name'],
  normalise: (given) => withCheckedName(kind.resource, given),
});

const masked = (text: string | null) => (text === null ? null : MASK);

const profiles: Resource<InstanceProfile> = {
  title: 'Profile',
  path: 'profiles',
  key: 'profiles',
  since: 1,
  namedIn: ({ db }) => db.profiles,
  detailByArgument: true,
  fields: profileFields,
  summary: profileSummary,
  filters: {},
  shown: {
    // a URL may contain a login, and user data contains what the owner of the instance likes
    image: ({ image }) => maskSecrets(image),
    image_checksum: ({ image_checksum: checksum }) => maskSecrets(checksum),
    user_data: ({ user_data: text }) => masked(text),
    password_hash: ({ password_hash: hash }) => masked(hash),
  },
  list: ({ services }, names, paging) => services.db.profiles.list(names, [], paging),
  find: ({ services }, identifier) => findInstanceProfile(services, identifier),
  create({ services, body, minor }) {
    const given = bodies.fromPost(body, minor);
    checkProfile(services, draftRecord<InstanceProfile>(profileFields, given));
    return createSimpleRecord(services, kind, given);
  },
  bodies,
  change({ services }, record, changesOf) {
    checkProfile(services, { ...record, ...changesOf(record) });
    return changeSimpleRecord(services, kind, record, changesOf(record));
  },
  remove: ({ services }, { uuid }) => void services.db.profiles.remove(uuid),
};

export const profileRoutes: readonly Route[] = resourceRoutes(profiles);
