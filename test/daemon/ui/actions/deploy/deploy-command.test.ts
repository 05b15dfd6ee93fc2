import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deployCommand } from '../../../../../daemon/ui/actions/deploy/deploy-command.ts';
import {
  deployBody,
  deployFieldsIn,
  deployRequest,
} from '../../../../../daemon/ui/actions/deploy/deploy-fields.ts';

const requestOf = (fields: Readonly<Record<string, string>>) =>
  deployRequest('active', deployFieldsIn(new URLSearchParams(fields)));
const commandOf = (fields: Readonly<Record<string, string>>) => deployCommand(requestOf(fields), ['web-1']);

describe('the fields of the form Deploy', () => {
  it('ask for nothing while they are empty', () => {
    const blank = { image: '', hostname: ' ', keys: '\r\n', user_data: '\r\n \r\n', bond: '', disk: '' };
    assert.deepEqual(deployBody(requestOf(blank), 1, 1), { target: 'active' });
    assert.equal(commandOf(blank), 'ironic-edge node deploy web-1');
  });

  it('become the instance of a request, with the place of the machine', () => {
    const given = requestOf({
      image: 'debian-13',
      keys: '# mine\r\nssh-ed25519 AAAA a\r\n\r\nssh-ed25519 BBBB b',
      user_data: '#cloud-config\r\npackages: [nginx]',
      addresses: '10.0.0.{n}/24, fd00::{n}/64',
      gateways: '10.0.0.1',
      bond: '802.3ad',
      vlan: '12',
      disk: '{"serial":"S1"}',
      trait: 'CUSTOM_RAID',
    });
    assert.deepEqual(deployBody(given, 2, 3), {
      target: 'active',
      instance: {
        image: 'debian-13',
        ssh_keys: ['ssh-ed25519 AAAA a', 'ssh-ed25519 BBBB b'],
        user_data: '#cloud-config\npackages: [nginx]\n',
        network: [
          {
            bond: '802.3ad',
            vlan: 12,
            addresses: ['10.0.0.{n}/24', 'fd00::{n}/64'],
            gateways: ['10.0.0.1'],
          },
        ],
        root_device: { serial: 'S1' },
        traits: ['CUSTOM_RAID'],
        number: 2,
        machines: 3,
      },
    });
  });

  it('take the image of the URL before that of the list, and RAID as a deploy step', () => {
    const { instance, deploySteps } = requestOf({ image: 'a', image_url: 'https://x/b', raid: '1' });
    assert.deepEqual(instance, { image: 'https://x/b' });
    assert.deepEqual(
      deploySteps.map(({ interface: of, step }) => [of, step]),
      [['raid', 'apply_configuration']],
    );
  });

  it('leave what is no JSON to the check of hints', () => {
    assert.deepEqual(requestOf({ disk: '{"serial"' }).instance, { root_device: '{"serial"' });
  });
});

describe('the command line of the form Deploy', () => {
  it('quotes what a shell would take apart', () => {
    assert.equal(
      commandOf({ hostname: `it's $(reboot)`, image: 'debian-13' }),
      `ironic-edge node deploy web-1 --image debian-13 --hostname 'it'\\''s $(reboot)'`,
    );
  });

  it('ends the user data with a word that they do not contain', () => {
    assert.equal(
      commandOf({ user_data: '#!/bin/sh\nEND\nEND_\n' }),
      "ironic-edge node deploy web-1 --user-data - <<'END__'\n#!/bin/sh\nEND\nEND_\nEND__",
    );
  });
});
