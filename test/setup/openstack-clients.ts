// metalsmith, Ansible with the collection openstack.cloud, and Bifrost with its playbooks, from PyPI.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pythonEnvironment, run } from './python-environment.ts';

const bifrost = 'bifrost==21.1.0';
const environment = pythonEnvironment('openstack-clients', [
  'ansible==12.3.0',
  bifrost,
  'metalsmith==2.5.0',
  'openstacksdk==4.7.1',
]);
const sources = join(import.meta.dirname, '../../.cache/bifrost');

/** The folder of the virtual environment's programs. */
export const clientPrograms = join(environment.program('python'), '..');
/** Bifrost's playbooks, which only its source distribution has. */
export const bifrostPlaybooks = join(sources, bifrost.replace('==', '-'), 'playbooks');

export const installOpenstackClients = (): boolean =>
  environment.install() && (existsSync(bifrostPlaybooks) || downloadBifrost());

/** For a test's `skip`: a reason when a program is missing, else false. */
export const skipWithoutOpenstackClients = (): string | false =>
  environment.skipWithout() ||
  (!existsSync(bifrostPlaybooks) &&
    `the source of ${bifrost} from PyPI is not installed; npm test installs it`);

function downloadBifrost(): boolean {
  mkdirSync(sources, { recursive: true });
  const only = ['--quiet', '--disable-pip-version-check', '--no-deps', '--no-binary', ':all:'];
  const name = bifrost.replace('==', '-');
  const draft = mkdtempSync(join(sources, 'draft-'));
  const isThere =
    run(environment.program('pip'), 'download', ...only, '--dest', draft, bifrost) &&
    run('tar', '--extract', '--directory', draft, '--file', join(draft, `${name}.tar.gz`));
  // moved only when complete: the next run takes any folder of this name for a complete one
  if (isThere) renameSync(join(draft, name), join(sources, name));
  rmSync(draft, { recursive: true });
  return isThere;
}
