// Python's own str.format, the oracle for the daemon's implementation.
import { spawnSync } from 'node:child_process';
import type { Json, JsonObject } from '../../daemon/model/json.ts';

const PROGRAM = `
import json, sys
given = json.load(sys.stdin)
class Node(dict):
    __getattr__ = dict.__getitem__
scope = {name: Node(value) if name == 'node' else value for name, value in given['scope'].items()}
def formatted(text):
    try:
        return text.format(**scope)
    except Exception:
        return None
json.dump([formatted(text) for text in given['texts']], sys.stdout)
`;

/** The formatted texts in the same order, with null for each text that Python refuses. */
export function pythonFormats(scope: JsonObject, texts: readonly string[]): readonly Json[] {
  const input = JSON.stringify({ scope, texts });
  const { status, stdout, stderr, error } = spawnSync('python3', ['-I', '-c', PROGRAM], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (error !== undefined || status !== 0) throw new Error(`python3 failed: ${error?.message ?? stderr}`);
  return JSON.parse(stdout) as readonly Json[];
}
