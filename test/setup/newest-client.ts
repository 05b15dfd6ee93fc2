// The newest baremetal client that PyPI gives: it has commands that Debian's lacks.
import { pythonEnvironment } from './python-environment.ts';

const { requirement, command, isInstalled, install } = pythonEnvironment(
  'newest-client',
  'python-ironicclient==6.3.0',
);

/** The command. */
export const newestBaremetal = command('baremetal');

/** Makes the environment unless it is there; false when Python or PyPI does not let us. */
export const installNewestClient = install;

/** For a test's `skip`: a reason when the client is missing, else false. */
export const skipWithoutNewestClient = (): string | false =>
  !isInstalled() && `${requirement} is not installed; npm test installs it`;
