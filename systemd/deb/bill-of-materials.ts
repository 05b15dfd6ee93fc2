// The list of parts of the package (SBOM, CycloneDX): the npm packages that were installed, Node.js among them.
import { existsSync } from 'node:fs';
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
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

/** Where npm says the place of a package: node_modules/NAME. */
const PLACE = 'cdx:npm:package:path';

/** Without the serial number and the time that npm adds, equal trees give equal texts. */
export function billOfMaterials(program: string): string {
  const words = ['--prefix', program, '--package-lock-only', '--sbom-format=cyclonedx', '--omit=dev'];
  const written = JSON.parse(run('npm', ['sbom', ...words])) as Bill;
  const components = written.components.filter(({ properties = [] }) =>
    existsSync(path.join(program, properties.find(({ name }) => name === PLACE)?.value ?? '')),
  );
  const bill = {
    ...written,
    serialNumber: undefined,
    metadata: { ...written.metadata, timestamp: undefined },
    components,
    dependencies: dependenciesAmong(components, written),
  };
  return `${JSON.stringify(bill, undefined, 1)}\n`;
}

function dependenciesAmong(components: readonly Component[], { metadata, dependencies }: Bill): Dependency[] {
  const known = new Set([...components, metadata.component].map((each) => each['bom-ref']));
  return dependencies
    .filter(({ ref }) => known.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => known.has(each)) }));
}
