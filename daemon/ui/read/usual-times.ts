// Reads how long work usually takes: on the node itself or, while too few times of that node are known, on the nodes of its
// model.
import type { WorkOfNode, WorkSamples } from '../../db/tables/work-times.ts';
import { usualSeconds } from '../../model/usual-time.ts';
import type { ReadServices } from './services.ts';

/** Returns how many seconds the work usually takes; undefined where too little is known. */
export type UsualTimes = (node: string, work: string) => number | undefined;

export function readUsualTimes(
  { db: { workTimes } }: ReadServices,
  wanted: readonly WorkOfNode[],
): UsualTimes {
  const own = usual(workTimes.ofNode(wanted));
  const ofModel = usual(workTimes.ofModel(wanted.filter((work) => !own.has(keyOf(work)))));
  return (node, work) => own.get(keyOf({ node, work })) ?? ofModel.get(keyOf({ node, work }));
}

const usual = (samples: readonly WorkSamples[]): ReadonlyMap<string, number> =>
  new Map(
    samples.flatMap((sample) => {
      const seconds = usualSeconds(sample.seconds);
      return seconds === undefined ? [] : [[keyOf(sample), seconds] as const];
    }),
  );

const keyOf = ({ node, work }: WorkOfNode): string => `${node} ${work}`;
