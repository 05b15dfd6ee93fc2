// Creates the records that files describe: a record first, and then the records below it.
import type { JsonObject } from '../../../model/json.ts';
import { type ApiClient, ApiRefusal } from '../../api-client.ts';
import { exitCodes } from '../../exit-codes.ts';
import { cellText } from '../../text-table.ts';
import type { DescribedRecord, DescribedWord } from './described-records.ts';

export interface Created extends JsonObject {
  readonly record: string;
  /** The record's name, or another text by which people know it. */
  readonly name: string;
  readonly uuid: string | null;
  /**
   * `refused`: the daemon or this command refused the record, or the daemon refused only its traits. If only the traits were
   * refused, the record exists and has a `uuid`. `skipped`: the record to which this one belongs was refused or skipped.
   */
  readonly outcome: 'created' | 'refused' | 'skipped';
  readonly note: string;
}

export interface Creation {
  readonly result: Created;
  /** The exit code that the command would have if it created this record alone. */
  readonly code: number;
}

const paths: Readonly<Record<DescribedWord, string>> = {
  chassis: '/v1/chassis',
  node: '/v1/nodes',
  'port-group': '/v1/portgroups',
  port: '/v1/ports',
  runbook: '/v1/runbooks',
};

type Report = (creation: Creation) => void;

/**
 * Creates the record and then those below it, and reports each of them. `owners`: the fields that name the records to which this
 * one belongs, such as node_uuid.
 */
export async function createRecord(
  api: ApiClient,
  described: DescribedRecord,
  owners: JsonObject,
  report: Report,
): Promise<void> {
  const { word, fields, traits, below } = described;
  let uuid: string | null = null;
  try {
    refuseOtherOwner(fields, owners);
    uuid = cellText((await api.post(paths[word], { ...fields, ...owners }))['uuid']);
    if (traits !== undefined) await api.request('PUT', `${paths[word]}/${uuid}/traits`, { traits });
  } catch (error) {
    if (!(error instanceof ApiRefusal || error instanceof OtherOwner)) throw error;
    const code = error instanceof ApiRefusal ? error.exitCode : exitCodes.refused;
    report({ result: resultOf(described, { uuid, outcome: 'refused', note: error.message }), code });
    for (const each of below) skip(each, report);
    return;
  }
  report({ result: resultOf(described, { uuid, outcome: 'created', note: '' }), code: exitCodes.done });
  for (const each of below) await createRecord(api, each, ownersBelow(word, uuid, owners), report);
}

class OtherOwner extends Error {}

function refuseOtherOwner(fields: JsonObject, owners: JsonObject): void {
  for (const [field, uuid] of Object.entries(owners))
    if (fields[field] !== undefined && fields[field] !== uuid)
      throw new OtherOwner(
        `${field} is ${cellText(fields[field])}, but the record is described below ${cellText(uuid)}: leave the field out, or move the record`,
      );
}

function ownersBelow(word: DescribedWord, uuid: string, owners: JsonObject): JsonObject {
  if (word === 'chassis') return { chassis_uuid: uuid };
  return word === 'node' ? { node_uuid: uuid } : { ...owners, portgroup_uuid: uuid };
}

function skip(described: DescribedRecord, report: Report): void {
  const result = resultOf(described, { uuid: null, outcome: 'skipped', note: '' });
  report({ result, code: exitCodes.refused });
  for (const each of described.below) skip(each, report);
}

const resultOf = (
  { word, fields }: DescribedRecord,
  ended: Pick<Created, 'uuid' | 'outcome' | 'note'>,
): Created => ({
  record: word,
  name: cellText(fields['name'] ?? fields['address'] ?? fields['description']),
  ...ended,
});
