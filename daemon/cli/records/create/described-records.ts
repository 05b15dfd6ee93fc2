// Reads files that describe chassis, nodes, port groups and ports: the format of `baremetal create`.
import { parseYaml } from '../../../lib/files/read-yaml.ts';
import { reasonOf } from '../../../model/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import { readGivenFile } from '../../given-file.ts';

export type DescribedWord = 'chassis' | 'node' | 'port-group' | 'port';

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
  file: { chassis: 'chassis', nodes: 'node' },
  chassis: { nodes: 'node' },
  node: { portgroups: 'port-group', ports: 'port' },
  'port-group': { ports: 'port' },
  port: {},
};

/** Returns the records that a file describes. Throws an Error that names the file, and the place in it that is wrong. */
export function describedRecords(file: string): readonly DescribedRecord[] {
  const content = parsed(file);
  const unknown = Object.keys(content).find((key) => !Object.hasOwn(lists.file, key));
  if (unknown !== undefined) throw wrong(file, unknown, 'is not known: expected chassis or nodes');
  return recordsBelow(file, 'file', content);
}

function parsed(file: string): JsonObject {
  const text = readGivenFile('FILE', file).toString();
  let content: unknown;
  try {
    content = parseYaml(text);
  } catch (error) {
    throw new Error(`${file} is neither JSON nor YAML: ${reasonOf(error)}`, { cause: error });
  }
  if (isJsonObject(content)) return content;
  throw new Error(`${file}: expected an object with chassis or nodes, lists of objects`);
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
