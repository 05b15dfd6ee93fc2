// Indicator lights of a machine: the component they belong to and the states they can show.

export const indicatorComponents = ['chassis', 'system', 'disk', 'power', 'nic'] as const;
export type IndicatorComponent = (typeof indicatorComponents)[number];

export const indicatorStates = ['off', 'on', 'blinking', 'unknown'] as const;
export type IndicatorState = (typeof indicatorStates)[number];

export interface Indicator {
  /** Unique among the indicators of its component. */
  readonly name: string;
  readonly component: IndicatorComponent;
  readonly readonly: boolean;
  /** The states that the indicator can show. It can be set to them unless it is readonly. */
  readonly states: readonly IndicatorState[];
}
