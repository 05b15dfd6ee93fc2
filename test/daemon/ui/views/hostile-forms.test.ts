import { describe, it } from 'node:test';
import { type Image, imageFields } from '../../../../daemon/model/instance/image.ts';
import type { InstanceProfile } from '../../../../daemon/model/instance/profile.ts';
import type { Node } from '../../../../daemon/model/records/node.ts';
import { deployFieldsIn } from '../../../../daemon/ui/actions/deploy/deploy-fields.ts';
import type { Markup } from '../../../../daemon/ui/kit/markup.ts';
import type { DeployForm } from '../../../../daemon/ui/read/deploy/deployment.ts';
import type { MachineProgress } from '../../../../daemon/ui/read/results.ts';
import { deployView } from '../../../../daemon/ui/views/deploy/deploy.ts';
import { addImageView } from '../../../../daemon/ui/views/images/add.ts';
import { imageView } from '../../../../daemon/ui/views/images/image.ts';
import { imagesView } from '../../../../daemon/ui/views/images/images.ts';
import { resultsView } from '../../../../daemon/ui/views/results.ts';
import { assertStaysText, EVIL } from '../../../fakes/clients/hostile-markup.ts';

const evilImage = Object.fromEntries(Object.keys(imageFields).map((name) => [name, EVIL]));
const image = {
  image: { ...evilImage, state: 'ready', bytes: 5, min_disk_gib: 1, used_by: [] } as unknown as Image,
  source: EVIL,
  checksum: EVIL,
  runsOn: [EVIL],
  progress: undefined,
};
const evilFields = (names: readonly string[]) =>
  new URLSearchParams(names.map((name): [string, string] => [name, EVIL]));

function typed(kind: string): URLSearchParams {
  const form = evilFields(['name', 'source', 'checksum', 'login_user', 'mirror']);
  form.set('kind', kind);
  return form;
}

const choice = { value: EVIL, label: EVIL };
const SINGLE = [
  'image',
  'image_url',
  'image_checksum',
  'profile',
  'hostname',
  'keys',
  'addresses',
  'gateways',
];
const deployment: DeployForm = {
  machines: [
    {
      node: { uuid: EVIL, name: EVIL, instance_info: { image_source: EVIL } } as unknown as Node,
      label: EVIL,
      ports: [],
    },
  ],
  fields: deployFieldsIn(evilFields([...SINGLE, 'dns', 'bond', 'vlan', 'mtu', 'user_data', 'disk'])),
  offers: {
    images: [image.image],
    profiles: [{ name: EVIL } as InstanceProfile],
    keys: [choice],
    cards: [choice],
    disks: [choice],
    noRaid: EVIL,
    templates: [EVIL],
  },
  wrong: {
    image: EVIL,
    profile: EVIL,
    hostname: EVIL,
    keys: EVIL,
    addresses: EVIL,
    disk: EVIL,
    user_data: EVIL,
  },
  profile: {
    name: EVIL,
    description: EVIL,
    image: EVIL,
    hostname: EVIL,
    ssh_keys: [EVIL],
    network: [],
    user_data: EVIL,
  } as unknown as InstanceProfile,
  hostnames: [EVIL],
  request: { verb: 'active', instance: {}, deploySteps: [] },
  plans: {
    plans: [
      {
        labels: [EVIL],
        steps: [{ name: EVIL, description: EVIL, destroys: EVIL, chosenBy: EVIL, boots: true, usual: 3 }],
        problems: [EVIL],
      },
    ],
    unasked: 1,
    usual: { seconds: 3, samples: 4 },
  },
  command: EVIL,
  word: EVIL,
};

const progress: MachineProgress = {
  node: EVIL,
  label: EVIL,
  kind: 'goes',
  state: 'wait call-back',
  power: EVIL,
  step: { name: EVIL, number: 1, of: 2 },
  left: 3,
  waitsFor: EVIL,
  reason: null,
};

const views: Readonly<Record<string, Markup>> = {
  results: resultsView({
    action: EVIL,
    machines: [progress, { ...progress, kind: 'failed', step: undefined, left: undefined, reason: EVIL }],
  }),
  images: imagesView({ images: [image], now: 0 }),
  'the progress of an image': imagesView({
    images: [{ ...image, progress: { bytes: 1, total: 2 } }],
    now: 0,
  }),
  image: imageView({ ...image, namedBy: [EVIL], now: 0 }, { refusal: EVIL, isWrongWord: true }),
  'adding an image by name': addImageView(typed('system'), EVIL),
  'adding an image by URL': addImageView(typed('url'), EVIL),
  deploy: deployView(deployment, { isWrongWord: true, refusals: [EVIL] }),
  'deploy with a profile': deployView(
    { ...deployment, wrong: {}, fields: deployFieldsIn(new URLSearchParams()) },
    {},
  ),
};

describe('text from outside stays text in forms', () => {
  for (const [name, body] of Object.entries(views)) it(name, () => assertStaysText(body));
});
