// The doctor never advises to change the mode or owner of a file that belongs to others.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { newHost, onlyFinding } from './planted-host.ts';
import { runCommand } from '../../fakes/clients/run-command.ts';
import { doctorCommand } from '../../../daemon/cli/host/doctor-command.ts';

it('does not advise to change the mode of a configuration that is no regular file, such as /dev/null', async () => {
  const { code, out } = await runCommand((context) =>
    doctorCommand(['--only', 'configuration-mode', '--config-file', '/dev/null'], context),
  );
  assert.deepEqual([code, out], [0, '1 probes: all is well\n']);
});

it('does not advise to change the mode of a password file that is no regular file', async (t) => {
  const host = newHost(t);
  host.configure('auth_strategy = http_basic\nhttp_basic_auth_user_file = /dev/null\n');
  onlyFinding(
    await host.examine('password-file'),
    /open to every user of this host \(mode 666\); it is no regular file: name one$/,
    /^\[DEFAULT\] http_basic_auth_user_file = a regular file$/,
  );
});

it('advises to make the state directory, not to give away the directory that it would be in', async (t) => {
  const host = newHost(t);
  // not even root can write there
  host.configure('state_path = /dev/pts/ironic-edge/state\n');
  onlyFinding(
    await host.examine('state-directory'),
    /^\/dev\/pts cannot be written by this user/,
    /^install -d -o ironic-edge -g ironic-edge \/dev\/pts\/ironic-edge\/state, or run/,
  );
});
