// OpenStack's Redfish emulator, and sushy, the Redfish client that Ironic uses.
import { pythonEnvironment } from './python-environment.ts';

// the emulator's Python module libvirt comes from a Debian package
const environment = pythonEnvironment(
  'sushy-tools',
  ['sushy-tools==2.2.0', 'sushy==5.14.0'],
  ['--system-site-packages'],
);

export const { install: installSushyTools, skipWithout: skipWithoutSushyTools } = environment;

/** The emulator, and the Python interpreter with the client sushy. */
export const sushyEmulator = environment.program('sushy-emulator');
export const sushyPython = environment.program('python');
