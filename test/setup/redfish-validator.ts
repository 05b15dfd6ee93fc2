// DMTF's validators of Redfish services: one checks against schemas, which are fetched too, the other against a profile.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonEnvironment, run } from './python-environment.ts';

const environment = pythonEnvironment('redfish-validator', ['redfish-service-validator==3.1.0']);
/** The two validators need different versions of the same packages. */
const ofProfiles = pythonEnvironment('redfish-interop-validator', ['redfish-interop-validator==3.0.0']);
const REPOSITORY = 'https://github.com/DMTF/Redfish-Publications';
const COMMIT = '26c949654e3e510800b05fa8d39cf336f10fa687';
const folder = join(import.meta.dirname, '../../.cache/redfish-schemas');
const stamp = join(folder, 'commit');

export const redfishValidator = environment.program('rf_service_validator');
export const redfishProfileValidator = ofProfiles.program('rf_interop_validator');
export const redfishSchemas = join(folder, 'csdl');

const hasSchemas = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === COMMIT;

/**
 * Returns false when the validators cannot be installed from PyPI. Without the schemas only the tests that need them are skipped:
 * many hosts reach PyPI but not GitHub.
 */
export function installRedfishValidator(): boolean {
  if (!hasSchemas() && !fetchSchemas())
    console.error(`Cannot fetch ${COMMIT} of ${REPOSITORY}: the tests that need it are skipped.`);
  return ofProfiles.install() && environment.install();
}

export const skipWithoutRedfishValidator = (): string | false =>
  environment.skipWithout() ||
  (!hasSchemas() && `schemas of ${REPOSITORY} at ${COMMIT} not fetched; npm test fetches them`);

export const skipWithoutRedfishProfileValidator = (): string | false => ofProfiles.skipWithout();

function fetchSchemas(): boolean {
  rmSync(folder, { recursive: true, force: true });
  const git = (...words: readonly string[]) => run('/usr/bin/git', '-C', folder, ...words);
  const fetched =
    run('/usr/bin/git', 'init', '--quiet', folder) &&
    git('sparse-checkout', 'set', 'csdl') &&
    git('remote', 'add', 'origin', REPOSITORY) &&
    git('fetch', '--quiet', '--depth=1', '--filter=blob:none', 'origin', COMMIT) &&
    git('checkout', '--quiet', 'FETCH_HEAD');
  if (fetched) writeFileSync(stamp, COMMIT);
  return fetched;
}
