// The list of parts of the package (SBOM, CycloneDX): the npm packages that were installed, Node.js among them.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './run.ts';

interface Bill {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>>;
}

/** Returns the list as JSON, without the serial number and the time that npm adds: equal trees give equal texts. */
export function billOfMaterials(program: string): string {
  // with --omit=dev npm also leaves out packages that both the program and its tests need
  const words = ['--prefix', program, '--package-lock-only', '--sbom-format=cyclonedx'];
  const written = JSON.parse(run('npm', ['sbom', ...words])) as Bill;
  const installed = installedIn(program);
  const components = written.components.filter(({ name, version }) => installed.has(`${name}@${version}`));
  const bill = {
    ...written,
    serialNumber: undefined,
    metadata: { ...written.metadata, timestamp: undefined },
    components,
    dependencies: dependenciesAmong(components, written),
  };
  return `${JSON.stringify(bill, undefined, 1)}\n`;
}

/** The npm packages that are installed: npm also lists packages for other systems, which it does not install. */
function installedIn(program: string): ReadonlySet<string> {
  const { packages } = JSON.parse(readFileSync(path.join(program, 'package-lock.json'), 'utf8')) as Lock;
  const places = Object.keys(packages).filter(
    (place) => packages[place]?.dev !== true && existsSync(path.join(program, place)),
  );
  return new Set(
    places.map((place) => `${place.split('node_modules/').at(-1)}@${packages[place]?.version ?? ''}`),
  );
}

function dependenciesAmong(components: readonly Component[], { metadata, dependencies }: Bill): Dependency[] {
  const known = new Set([...components, metadata.component].map((each) => each['bom-ref']));
  return dependencies
    .filter(({ ref }) => known.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => known.has(each)) }));
}
