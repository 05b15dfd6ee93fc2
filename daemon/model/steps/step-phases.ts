// The phases of a node's life that consist of steps.
export const stepPhases = ['verify', 'clean', 'deploy', 'service'] as const;
export type StepPhase = (typeof stepPhases)[number];
