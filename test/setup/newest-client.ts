// The newest baremetal client and openstacksdk from PyPI, with commands and calls that Debian's versions lack.
import { pythonEnvironment } from './python-environment.ts';

const environment = pythonEnvironment('newest-client', [
  'python-ironicclient==6.3.0',
  'openstacksdk==4.22.0',
]);

export const { install: installNewestClient, skipWithout: skipWithoutNewestClient } = environment;

/** The Python interpreter with both modules. */
export const newestPython = environment.program('python');
