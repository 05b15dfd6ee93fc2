// npm run docs: writes the pages and the schema that are generated from the code. A test fails when one is stale.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { configurationPage } from './configuration-page.ts';
import { faultsPage } from './faults-page.ts';
import { inspectionRulesPage } from './inspection-rules-page.ts';
import { internalInfoPage } from './internal-info-page.ts';
import { pluginApiPage } from './plugin-api-page.ts';
import { pluginSchemaPage } from './plugin-schema-page.ts';
import { provisionStatesPage } from './provision-states-page.ts';

/** Every generated file: its path from this folder and the function that returns its text. */
export const pages: Readonly<Record<string, () => string>> = {
  'configuration.md': configurationPage,
  'faults.md': faultsPage,
  'inspection-rules.md': inspectionRulesPage,
  'internal-info.md': internalInfoPage,
  'plugin-api.md': pluginApiPage,
  '../plugin-host/manifests/plugin.schema.json': pluginSchemaPage,
  'provision-states.md': provisionStatesPage,
};

if (import.meta.main)
  for (const [file, page] of Object.entries(pages))
    writeFileSync(path.join(import.meta.dirname, file), page());
