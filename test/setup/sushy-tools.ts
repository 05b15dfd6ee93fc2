// OpenStack's Redfish emulator, with machines that it imagines, and the Redfish client that Ironic uses.
import { pythonEnvironment } from './python-environment.ts';

const environment = pythonEnvironment('sushy-tools', ['sushy-tools==2.2.0', 'sushy==5.14.0']);

export const { install: installSushyTools, skipWithout: skipWithoutSushyTools } = environment;

/** The commands. */
export const sushyEmulator = environment.program('sushy-emulator');
export const sushyPython = environment.program('python');
