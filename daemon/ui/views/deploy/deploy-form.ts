// The fields of the page Deploy.
import type { Image } from '../../../model/instance/image.ts';
import { maskSecrets } from '../../../model/secrets.ts';
import { bondModes } from '../../../model/instance/network-data.ts';
import { raidLevels } from '../../actions/deploy/deploy-fields.ts';
import { MOST_USER_DATA } from '../../read/deploy/deploy-checks.ts';
import { type DeployMachine, sameSwitch } from '../../read/deploy/deploy-machines.ts';
import type { DeployForm } from '../../read/deploy/deployment.ts';
import { checkField, type Choice, inputField, selectField, textAreaField } from '../../kit/fields.ts';
import { icon } from '../../kit/icon.ts';
import { bytesText, html, type Markup, plural } from '../../kit/markup.ts';

export const deployFields = (shown: DeployForm): Markup =>
  html`<div class="form columns">
    ${imageField(shown)} ${profileField(shown)} ${hostnameField(shown)} ${keyFields(shown)}
    ${otherImage(shown)} ${networkFields(shown)} ${diskFields(shown)} ${templateFields(shown)}
    ${userDataField(shown)}
  </div>`;

/** What the profile says in place of an empty field. */
const fromProfile = ({ profile }: DeployForm, text: string | null | undefined, otherwise: string): string =>
  profile === undefined || text === null || text === undefined || text === ''
    ? otherwise
    : `From the profile ${profile.name}: ${text}`;

function imageField(shown: DeployForm): Markup {
  const { offers, fields, profile, machines, wrong } = shown;
  const { images } = offers;
  const now = new Set(machines.map(({ node }) => imageNow(node)));
  const [only = ''] = now;
  const kept =
    now.size === 1 && only !== '' ? `As the machine has it: ${only}` : 'Choose one, or a profile with one';
  const chosen = images.find(({ name }) => name === fields.image);
  return selectField({
    name: 'image',
    label: 'Image',
    value: fields.image,
    empty: profile?.image == null ? 'as it is now' : 'as the profile says',
    wrong: wrong.image,
    help: html`${chosen === undefined ? fromProfile(shown, profile?.image, kept) : aboutImage(chosen)}
      <br />${plural(images.length, 'image')} · <a href="/ui/images/add" target="_blank">add another</a> in a
      new window; then choose it here`,
    choices: images.map((image) => ({ value: image.name, label: imageLabel(image) })),
  });
}

function imageNow({ instance_info: { image_source: source } }: DeployMachine['node']): string {
  return typeof source === 'string' ? maskSecrets(source) : '';
}

const imageLabel = ({ name, architecture, state }: Image): string =>
  [name, architecture, state === 'ready' ? null : state].filter((each) => each !== null).join(' · ');

const aboutImage = ({ bytes, fetched_at: at, login_user: user, min_disk_gib: disk, state }: Image): string =>
  [
    at === null ? `${state}, not kept by the daemon` : `of ${at.slice(0, 10)}`,
    bytes === null ? null : bytesText(bytes),
    disk === null ? null : `disk of at least ${disk} GiB`,
    user === null ? null : `login ${user}`,
  ]
    .filter((each) => each !== null)
    .join(' · ');

const profileField = ({ offers, fields, profile, wrong }: DeployForm): Markup =>
  selectField({
    name: 'profile',
    label: 'Profile',
    value: fields.profile,
    empty: 'none',
    wrong: wrong.profile,
    help:
      profile === undefined
        ? 'Says what is left empty below. "ironic-edge profile create" makes one.'
        : (profile.description ?? 'Says what is left empty below.'),
    choices: offers.profiles.map(({ name }) => ({ value: name, label: name })),
  });

const MOST_NAMES = 4;

function hostnameField(shown: DeployForm): Markup {
  const { fields, hostnames, profile, wrong } = shown;
  const more = hostnames.length - MOST_NAMES;
  const names = `${hostnames.slice(0, MOST_NAMES).join(', ')}${more > 0 ? `, ... ${hostnames.at(-1)}` : ''}`;
  const hint = '{n} becomes the number of the machine, {node} its name';
  return inputField({
    name: 'hostname',
    label: 'Host name',
    value: fields.hostname,
    placeholder: 'web-{n}',
    wrong: wrong.hostname,
    help:
      fields.hostname === ''
        ? fromProfile(shown, profile?.hostname == null ? '' : names || profile.hostname, hint)
        : names || hint,
  });
}

function keyFields(shown: DeployForm): Markup {
  const { fields, offers, profile, wrong } = shown;
  const count = profile?.ssh_keys.length ?? 0;
  return html`<fieldset class="field">
    <legend class="label">SSH keys</legend>
    ${choices('key', offers.keys, fields.key)}
    ${textAreaField({
      name: 'keys',
      label: offers.keys.length === 0 ? 'Public keys, one a line' : 'Further public keys, one a line',
      value: fields.keys,
      rows: 2,
      placeholder: 'ssh-ed25519 AAAA... you@laptop',
      wrong: wrong.keys,
      help:
        fields.key.length > 0 || fields.keys !== ''
          ? 'For the login user of the image'
          : fromProfile(shown, count === 0 ? '' : plural(count, 'key'), 'For the login user of the image'),
    })}
  </fieldset>`;
}

const choices = (name: string, offers: readonly Choice[], chosen: readonly string[]): Markup =>
  html`${offers.map(({ value, label }) =>
    checkField({ name, value, label, isChecked: chosen.includes(value) }),
  )}`;

/** Open while something in it is set. `id`: a live page keeps what the visitor has opened. */
const further = (
  { id, title, isOpen }: { readonly id: string; readonly title: string; readonly isOpen: boolean },
  body: Markup,
): Markup =>
  html`<details class="full further" id="${id}" ${isOpen ? html`open` : ''}>
    <summary>${title}</summary>
    <div class="form columns">${body}</div>
  </details>`;

const otherImage = ({ fields, wrong }: DeployForm): Markup =>
  further(
    {
      id: 'other-image',
      title: 'An image by its URL',
      isOpen: fields.image_url !== '' || fields.image_checksum !== '',
    },
    html`${inputField({ name: 'image_url', label: 'URL', value: fields.image_url, maxLength: 2048, placeholder: 'https://images.example/debian.qcow2', help: 'Instead of an image of the list' })}
    ${inputField({ name: 'image_checksum', label: 'Checksum', value: fields.image_checksum, maxLength: 2048, wrong: wrong.image_checksum, help: 'A digest, or the URL of a file with digests' })}`,
  );

function networkFields(shown: DeployForm): Markup {
  const { fields, offers, machines, wrong, profile } = shown;
  const links = profile?.network.length ?? 0;
  const isFar = [fields.bond, fields.vlan, fields.mtu].some((text) => text !== '') || fields.card.length > 0;
  const lldp = sameSwitch(machines, fields.card);
  return html`${inputField({
    name: 'addresses',
    label: 'Addresses',
    value: fields.addresses,
    placeholder: '10.0.20.{n}/24',
    maxLength: 1024,
    offers: ['dhcp', 'dhcp6'],
    wrong: wrong.addresses,
    help: fromProfile(
      shown,
      links === 0 ? '' : plural(links, 'link'),
      'Empty: as the image does, mostly by DHCP',
    ),
  })}
  ${inputField({ name: 'gateways', label: 'Gateway', value: fields.gateways, placeholder: '10.0.20.1', help: 'In a subnet of the addresses' })}
  ${inputField({ name: 'dns', label: 'DNS servers', value: fields.dns, placeholder: '10.0.20.1, 10.0.20.2' })}
  ${further(
    { id: 'link', title: 'Network cards, bond, VLAN', isOpen: isFar },
    html`<fieldset class="field">
        <legend class="label">Network cards</legend>
        ${choices('card', offers.cards, fields.card)}
        <span class="help" id="field-card-help"
          >${
            lldp === undefined
              ? offers.cards.length === 0
                ? 'No card of these machines is known'
                : 'None: the card that the machine boots from'
              : html`${icon(lldp.isSame ? 'check' : 'warning')} ${lldp.text}`
          }</span
        >
      </fieldset>
      ${selectField({ name: 'bond', label: 'Bond', value: fields.bond, empty: 'no bond', choices: bondModes.map((mode) => ({ value: mode, label: mode })), help: 'Of two or more cards' })}
      ${inputField({ name: 'vlan', label: 'VLAN', value: fields.vlan, maxLength: 8, placeholder: 'untagged' })}
      ${inputField({ name: 'mtu', label: 'MTU', value: fields.mtu, maxLength: 8, placeholder: '1500' })}`,
  )}`;
}

function diskFields({ fields, offers, wrong }: DeployForm): Markup {
  const { noRaid, disks } = offers;
  return html`${selectField({
    name: 'disk',
    label: 'Root disk',
    value: fields.disk,
    empty: 'as the machine is set, else its smallest',
    choices: disks,
    wrong: wrong.disk,
    help: disks.length === 0 ? 'An inspection finds the disks that could be chosen' : undefined,
  })}
  ${
    noRaid === undefined
      ? selectField({
          name: 'raid',
          label: 'Software RAID',
          value: fields.raid,
          empty: 'as the disks are',
          choices: raidLevels.map((level) => ({ value: level, label: `RAID ${level}` })),
          help: 'Over all disks, for the image; made by the agent',
        })
      : html`<div class="field">
          <span class="label">Software RAID</span><span class="help">Not here: ${noRaid}</span>
        </div>`
  }
  ${selectField({
    name: 'kexec',
    label: 'First boot of the instance',
    value: fields.kexec,
    empty: 'as the profile, the machine or the site says',
    choices: [
      { value: 'false', label: 'by the firmware' },
      { value: 'true', label: 'by the ramdisk (kexec)' },
    ],
    help: 'Kexec saves the minutes of a firmware boot, where the drivers of the instance allow it',
  })}`;
}

const templateFields = ({ fields, offers: { templates } }: DeployForm): Markup =>
  templates.length === 0
    ? html``
    : html`<fieldset class="field">
        <legend class="label">Deploy templates</legend>
        ${choices(
          'trait',
          templates.map((name) => ({ value: name, label: name })),
          fields.trait,
        )}
        <span class="help">Each adds its steps to the plan</span>
      </fieldset>`;

function userDataField(shown: DeployForm): Markup {
  const { fields, profile, wrong } = shown;
  const bytes = Buffer.byteLength(fields.user_data);
  const own = profile?.user_data;
  const [first = ''] = fields.user_data.split('\n', 1);
  const kind = first.startsWith('#cloud-config') ? 'valid cloud-config' : 'a document that cloud-init knows';
  const size = `${bytes.toLocaleString('en')} bytes of ${MOST_USER_DATA.toLocaleString('en')}`;
  return textAreaField({
    name: 'user_data',
    label: 'User data',
    value: fields.user_data,
    full: true,
    rows: 7,
    placeholder: '#cloud-config\npackages: [nginx]',
    wrong: wrong.user_data,
    help:
      bytes === 0
        ? fromProfile(
            shown,
            own == null ? '' : `${Buffer.byteLength(own)} bytes`,
            'cloud-config, or a script after #!',
          )
        : wrong.user_data === undefined
          ? html`<span class="text-good">${icon('check')} ${kind}</span> · ${size}`
          : size,
  });
}
