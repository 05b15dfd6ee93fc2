// The newest baremetal client and openstacksdk that PyPI gives: they have commands and calls that Debian's lack.
import { pythonEnvironment } from './python-environment.ts';

const environment = pythonEnvironment('newest-client', [
  'python-ironicclient==6.3.0',
  'openstacksdk==4.22.0',
]);

export const { install: installNewestClient, skipWithout: skipWithoutNewestClient } = environment;

/** Has the modules of both. */
export const newestPython = environment.program('python');
