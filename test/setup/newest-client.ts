// The newest baremetal client that PyPI gives: it has commands that Debian's lacks.
import { pythonEnvironment } from './python-environment.ts';

const environment = pythonEnvironment('newest-client', ['python-ironicclient==6.3.0']);

export const { install: installNewestClient, skipWithout: skipWithoutNewestClient } = environment;

/** The command. */
export const newestBaremetal = environment.program('baremetal');
