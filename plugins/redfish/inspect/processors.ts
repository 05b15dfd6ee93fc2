// The processors of a machine.
import type { JsonObject } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { numberIn, objectIn, pathIn, textIn, wholeIn } from '../bmc/fields.ts';

export interface Cpu extends JsonObject {
  readonly count: number;
  /** Null when the BMC does not report it. */
  readonly architecture: string | null;
  readonly model_name: string;
  /** In MHz; null when the BMC does not report it. */
  readonly frequency: string | null;
}

const byInstructionSet: ReadonlyMap<string, string> = new Map([
  ['x86-64', 'x86_64'],
  ['x86', 'i686'],
  ['ARM-A64', 'aarch64'],
  ['ARM-A32', 'arm'],
  ['IA-64', 'ia64'],
  ['MIPS32', 'mips'],
  ['MIPS64', 'mips64'],
]);
/** Architectures of processors that report no InstructionSet. The names do not tell 32 from 64 bits; 64 is assumed. */
const byArchitecture: ReadonlyMap<string, string> = new Map([
  ['x86', 'x86_64'],
  ['ARM', 'aarch64'],
]);

/** Reads the processors. Graphics cards are listed as processors too, but do not count. */
export async function cpuOf(bmc: Bmc, system: JsonObject): Promise<Cpu> {
  const all = await bmc.optionalMembers('the processors', pathIn(system['Processors']));
  const cpus = all.filter(({ ProcessorType: type }) => (type ?? 'CPU') === 'CPU');
  // an empty socket may be listed too
  const first = cpus.find((cpu) => architectureOf(cpu) !== null) ?? {};
  const summary = objectIn(system['ProcessorSummary']);
  const threads = cpus.reduce((sum, cpu) => sum + (wholeIn(cpu['TotalThreads']) ?? 0), 0);
  return {
    count: threads > 0 ? threads : (wholeIn(summary['LogicalProcessorCount']) ?? 0),
    architecture: architectureOf(first),
    model_name: (textIn(first['Model']) ?? textIn(summary['Model']) ?? '').trim(),
    frequency: numberIn(first['MaxSpeedMHz'])?.toString() ?? null,
  };
}

function architectureOf({
  InstructionSet: set,
  ProcessorArchitecture: architecture,
}: JsonObject): string | null {
  const exact = byInstructionSet.get(textIn(set) ?? '');
  return exact ?? byArchitecture.get(textIn(architecture) ?? '') ?? null;
}
