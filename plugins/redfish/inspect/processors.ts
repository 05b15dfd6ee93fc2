// The processors of a machine.
import type { JsonObject } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { numberIn, objectIn, pathIn, textIn } from '../bmc/fields.ts';

export interface Cpu extends JsonObject {
  readonly count: number;
  readonly architecture: string;
  readonly model_name: string;
  readonly frequency: number;
}

const byInstructionSet: Readonly<Record<string, string>> = {
  'x86-64': 'x86_64',
  x86: 'i686',
  'ARM-A64': 'aarch64',
  'ARM-A32': 'arm',
  'IA-64': 'ia64',
  MIPS32: 'mips',
  MIPS64: 'mips64',
};
/** Architectures of processors that report no InstructionSet. The names do not tell 32 from 64 bits; 64 is assumed. */
const byArchitecture: Readonly<Record<string, string>> = { x86: 'x86_64', ARM: 'aarch64' };

/** Reads the processors. Graphics cards are listed as processors too, but do not count. */
export async function cpuOf(bmc: Bmc, system: JsonObject): Promise<Cpu> {
  const path = pathIn(system['Processors']);
  const all = path === undefined ? [] : await bmc.members(path);
  const cpus = all.filter(({ ProcessorType: type }) => (type ?? 'CPU') === 'CPU');
  const [first = {}] = cpus;
  const summary = objectIn(system['ProcessorSummary']);
  const threads = cpus.reduce((sum, cpu) => sum + (numberIn(cpu['TotalThreads']) ?? 0), 0);
  return {
    count: threads > 0 ? threads : (numberIn(summary['LogicalProcessorCount']) ?? 0),
    architecture: architectureOf(first),
    model_name: textIn(first['Model']) ?? textIn(summary['Model']) ?? '',
    frequency: numberIn(first['MaxSpeedMHz']) ?? 0,
  };
}

function architectureOf({ InstructionSet: set, ProcessorArchitecture: architecture }: JsonObject): string {
  const exact = byInstructionSet[textIn(set) ?? ''];
  return exact ?? byArchitecture[textIn(architecture) ?? ''] ?? '';
}
