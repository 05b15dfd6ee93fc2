// Copies the records that belong to a site and not to a machine: deploy templates, runbooks and inspection rules.
import { reasonOf } from '../../../model/faults.ts';
import type { JsonObject } from '../../../model/json.ts';
import { versionText } from '../../../model/microversions.ts';
import type { FieldTable } from '../../../model/records/fields.ts';
import { inspectionRuleFields } from '../../../model/rules/inspection-rule.ts';
import { deployTemplateFields, runbookFields } from '../../../model/steps/step-lists.ts';
import { cellText } from '../../text-table.ts';
import { partBody } from './carried-fields.ts';
import type { Service } from './ironic-service.ts';
import type { MoveOutcome } from './move-machines.ts';

interface Kind {
  readonly what: string;
  /** The list's name, both in its path and as a key of the answer. */
  readonly key: string;
  readonly since: number;
  readonly fields: FieldTable;
}

const kinds: readonly Kind[] = [
  { what: 'deploy template', key: 'deploy_templates', since: 55, fields: deployTemplateFields },
  { what: 'runbook', key: 'runbooks', since: 92, fields: runbookFields },
  { what: 'inspection rule', key: 'inspection_rules', since: 96, fields: inspectionRuleFields },
];

type Reader = Pick<Service, 'api' | 'minor'>;

/** Copies the records that the receiver lacks. A record of the receiver with the same name or UUID is not changed. */
export async function copySiteRecords(
  source: Reader,
  receiver: Reader,
  isDryRun: boolean,
): Promise<readonly MoveOutcome[]> {
  const outcomes: MoveOutcome[] = [];
  for (const kind of kinds.filter(({ since }) => since <= source.minor)) {
    const records = await listOf(source, kind);
    const there = new Set(kind.since <= receiver.minor ? (await listOf(receiver, kind)).map(identityOf) : []);
    for (const record of records.filter((each) => !there.has(identityOf(each))))
      outcomes.push(await copied(kind, record, receiver, isDryRun));
  }
  return outcomes;
}

const listOf = ({ api }: Reader, { key }: Kind) => api.list(`/v1/${key}?detail=True`, key);

/** The name of the record; for an inspection rule, which has no name, its UUID. */
const identityOf = ({ name, uuid }: JsonObject): string => cellText(name ?? uuid);

async function copied(
  { what, key, since, fields }: Kind,
  record: JsonObject,
  { api, minor }: Reader,
  isDryRun: boolean,
): Promise<MoveOutcome> {
  const told = (outcome: MoveOutcome['outcome'], note: string): MoveOutcome => ({
    uuid: cellText(record['uuid']),
    name: `${what} ${identityOf(record)}`,
    outcome,
    note,
  });
  if (since > minor)
    return told(
      'left',
      `it needs version ${versionText(since)} of the API, and the receiver has ${versionText(minor)}`,
    );
  if (record['sensitive'] === true)
    return told(
      'left',
      'the API does not show the conditions and actions of a sensitive rule: create the rule at the receiver',
    );
  try {
    if (!isDryRun) await api.post(`/v1/${key}`, partBody(fields, record, minor));
    return told('copied', '');
  } catch (error) {
    return told('failed', reasonOf(error));
  }
}
