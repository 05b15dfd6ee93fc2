// Reads files that describe chassis, nodes, port groups and ports, in the format of `baremetal create`, and runbooks.
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import { givenValue, readGivenFile } from '../../given-file.ts';

export type DescribedWord = 'chassis' | 'node' | 'port-group' | 'port' | 'runbook';

export interface DescribedRecord {
  readonly word: DescribedWord;
  /** The body of the request that creates the record. */
  readonly fields: JsonObject;
  /** The traits of a node, which a separate request stores; undefined for other records. */
  readonly traits: Json | undefined;
  readonly below: readonly DescribedRecord[];
}

/** The keys of the lists that a file, or the description of a record, may contain, with the kind of record in each list. */
const lists: Readonly<Record<DescribedWord | 'file', Readonly<Record<string, DescribedWord>>>> = {
  file: { chassis: 'chassis', nodes: 'node', runbooks: 'runbook' },
  chassis: { nodes: 'node' },
  node: { portgroups: 'port-group', ports: 'port' },
  'port-group': { ports: 'port' },
  port: {},
  runbook: {},
};

/** Returns the records that a file describes. Throws an Error that names the file, and the place in it that is wrong. */
export function describedRecords(file: string): readonly DescribedRecord[] {
  const content = parsed(file);
  const unknown = Object.keys(content).find((key) => !Object.hasOwn(lists.file, key));
  if (unknown !== undefined) throw wrong(file, unknown, 'is not known: expected chassis, nodes or runbooks');
  return recordsBelow(file, 'file', content);
}

function parsed(file: string): JsonObject {
  const content = givenValue(file, readGivenFile('FILE', file).toString());
  if (isJsonObject(content)) return content;
  throw new Error(`${file}: expected an object with chassis, nodes or runbooks, lists of objects`);
}

function recordsBelow(place: string, word: DescribedWord | 'file', content: JsonObject) {
  return Object.entries(lists[word]).flatMap(([key, below]) => {
    const list = content[key] ?? [];
    if (!Array.isArray(list)) throw wrong(place, key, 'is not a list');
    return list.map((each, index) => recordIn(`${place}: ${key}[${index}]`, below, each));
  });
}

function recordIn(place: string, word: DescribedWord, content: Json): DescribedRecord {
  if (!isJsonObject(content)) throw new Error(`${place} is not an object with the fields of a ${word}`);
  const beside = new Set([...Object.keys(lists[word]), ...(word === 'node' ? ['traits'] : [])]);
  const fields = Object.entries(content).filter(([key]) => !beside.has(key));
  return {
    word,
    fields: Object.fromEntries(fields),
    traits: word === 'node' ? content['traits'] : undefined,
    below: recordsBelow(place, word, content),
  };
}

const wrong = (place: string, key: string, reason: string) => new Error(`${place}: ${key} ${reason}`);
