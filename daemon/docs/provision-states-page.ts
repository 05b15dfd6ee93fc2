// The page of the provision state machine: a table of its states and a diagram of its transitions.
import {
  afterRestart,
  classOf,
  defaultTarget,
  eventsOf,
  next,
  type ProvisionState,
  provisionStates,
} from '../model/states/provision-states.ts';
import { markdownTable } from './markdown-table.ts';

export function provisionStatesPage(): string {
  return `# Provision states

A node is always in one of ${provisionStates.length} states. A stable state has no target; in every other state, the
target is the state in which the work should end. A restart of the daemon fails the work that was running; nodes that
wait for an agent or an operator continue to wait.

${markdownTable(['state', 'class', 'target', 'after a restart', 'events'], provisionStates.map(stateRow))}

Manual cleaning sets the target \`manageable\`.

\`\`\`mermaid
stateDiagram-v2
${diagramLines()
  .map((line) => `  ${line}`)
  .join('\n')}
\`\`\`

Generated from \`daemon/model/states/state-table.ts\` by \`npm run docs\`.
`;
}

function stateRow(state: ProvisionState): readonly string[] {
  const after = afterRestart(state);
  const transitions = [...transitionsFrom(state)].map(([to, events]) => `${events.join(', ')} → ${to}`);
  return [
    state,
    classOf(state),
    defaultTarget(state) ?? '',
    after === state ? '' : after,
    transitions.join('; '),
  ];
}

function diagramLines(): readonly string[] {
  const names = provisionStates.map((state) => `state "${state}" as ${identifier(state)}`);
  const arrows = provisionStates.flatMap((from) =>
    [...transitionsFrom(from)].map(
      ([to, events]) => `${identifier(from)} --> ${identifier(to)}: ${events.join(', ')}`,
    ),
  );
  return [...names, '[*] --> enroll', ...arrows];
}

/** Returns the events of a state, by the state they lead to. */
function transitionsFrom(state: ProvisionState): ReadonlyMap<ProvisionState | undefined, readonly string[]> {
  return Map.groupBy(eventsOf(state), (event) => next(state, event));
}

function identifier(state: string | undefined): string {
  return (state ?? '').replaceAll(/\W/g, '_');
}
