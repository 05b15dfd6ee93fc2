// Reads what the palette offers for what a visitor typed: actions on the chosen machines, views, and machines.
import { actions, fittingActions } from '../actions/actions.ts';
import { labelOf, readMachines, searchNodes } from './machines.ts';
import type { ReadServices } from './services.ts';

export interface PaletteEntry {
  readonly kind: 'action' | 'view' | 'machine';
  readonly label: string;
  readonly detail?: string;
  /** Where it leads; undefined for an action. */
  readonly href?: string;
  /** The name of an action. */
  readonly action?: string;
  readonly loses?: true;
}

export interface Palette {
  /** Which machines the actions are for; empty if none is chosen. */
  readonly subject: string;
  readonly entries: readonly PaletteEntry[];
}

export interface PaletteQuery {
  readonly text: string;
  /** The UUIDs of the machines that are chosen or shown. */
  readonly nodes: readonly string[];
  /** Whether the visitor may act. */
  readonly acts: boolean;
}

const VIEWS: readonly (readonly [href: string, label: string])[] = [
  ['/ui/', 'Machines'],
  ['/ui/?only=problems', 'Machines that need you'],
  ['/ui/?only=working', 'Machines that are worked on'],
  ['/ui/add', 'Add machines by BMC'],
  ['/ui/add/many', 'Add many machines'],
  ['/ui/add/discovered', 'Discovered machines'],
  ['/ui/add/boot', 'Add machines by network boot'],
  ['/ui/work', 'Work'],
  ['/ui/events', 'Events'],
  ['/ui/health', 'Health'],
];
const MOST_MACHINES_FOUND = 12;

export function readPalette(services: ReadServices, { text, nodes, acts }: PaletteQuery): Palette {
  const wanted = text.toLowerCase();
  const fits = (label: string) => wanted.split(/\s+/).every((word) => label.toLowerCase().includes(word));
  const all = readMachines(services);
  const chosen = new Set(nodes);
  const subjects = all.filter(({ uuid }) => chosen.has(uuid));
  const [first] = subjects;
  const subject =
    first === undefined ? '' : subjects.length === 1 ? labelOf(first) : `${subjects.length} machines`;
  const fitting = new Set(acts ? subjects.flatMap((machine) => fittingActions(machine)) : []);
  const doing = Object.entries(actions).flatMap(([name, { label, loses }]): PaletteEntry[] => {
    const isOffered = fitting.has(name) && fits(label);
    return isOffered
      ? [
          {
            kind: 'action',
            label,
            detail: subject,
            action: name,
            ...(loses !== undefined && { loses: true }),
          },
        ]
      : [];
  });
  const views = VIEWS.filter(([, label]) => fits(label)).map(([href, label]): PaletteEntry => ({
    kind: 'view',
    label,
    href,
  }));
  const found = wanted === '' ? undefined : searchNodes(services, wanted);
  const machines = all
    .filter(({ uuid }) => found?.has(uuid) === true)
    .toSorted((a, b) => startsWith(b, wanted) - startsWith(a, wanted))
    .slice(0, MOST_MACHINES_FOUND)
    .map((machine): PaletteEntry => ({
      kind: 'machine',
      label: labelOf(machine),
      detail: machine.state,
      href: `/ui/nodes/${machine.uuid}`,
    }));
  return { subject, entries: [...doing, ...machines, ...views] };
}

const startsWith = ({ name }: { readonly name: string | null }, text: string): number =>
  Number(name?.toLowerCase().startsWith(text) === true);
