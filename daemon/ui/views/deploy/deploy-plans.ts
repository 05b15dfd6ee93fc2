// What will happen: the steps for each group of machines, what they destroy, and how long they usually take.
import type { DeployPlanShown, DeployPlans, DeployStepShown } from '../../read/deploy/deploy-plan.ts';
import type { DeployForm } from '../../read/deploy/deployment.ts';
import { durationText, html, type Markup, plural } from '../../kit/markup.ts';
import { notice } from '../../kit/surfaces.ts';

export function plansView({
  plans,
  wrong,
  machines,
}: Pick<DeployForm, 'plans' | 'wrong' | 'machines'>): Markup {
  if (plans === undefined)
    return notice(
      'attention',
      `Correct ${plural(Object.keys(wrong).length, 'field')} first; then the steps are shown here.`,
    );
  const { plans: groups, unasked } = plans;
  return html`${groups.map((group, at) => planOf(group, { machines: machines.length, above: groups.slice(0, at) }))}
  ${unasked === 0 ? '' : html`<p><small>The plans of ${plural(unasked, 'further machine')} are not shown.</small></p>`}
  ${totalOf(plans, machines[0]?.label ?? '')}`;
}

const MOST_LABELS = 8;

interface Around {
  readonly machines: number;
  readonly above: readonly DeployPlanShown[];
}

function planOf({ labels, steps, problems }: DeployPlanShown, { machines, above }: Around): Markup {
  const others = labels.length - MOST_LABELS;
  const named = `${labels.slice(0, MOST_LABELS).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  return html`${machines === labels.length ? '' : html`<h3>${named}</h3>`}
  ${problems.map((problem) => notice('attention', html`<strong>Not possible yet.</strong> ${problem}`))}
  ${stepsView(steps, above)}`;
}

function stepsView(steps: readonly DeployStepShown[], above: readonly DeployPlanShown[]): Markup {
  if (steps.length === 0) return html``;
  const key = namesOf(steps);
  const same = above.find((plan) => namesOf(plan.steps) === key);
  if (same !== undefined) return html`<p>The same steps as ${same.labels[0]}.</p>`;
  return html`<ol class="steps">
    ${steps.map(stepView)}
  </ol>`;
}

const namesOf = (steps: readonly DeployStepShown[]): string => steps.map(({ name }) => name).join(' ');

const stepView = ({ name, description, destroys, chosenBy, boots, usual }: DeployStepShown): Markup =>
  html`<li>
    <span>${description ?? name}</span>
    <small
      >${name}${boots ? ' · 1 firmware boot' : ''}${chosenBy === null ? '' : ` · ${chosenBy}`}${
        destroys === null ? '' : html` · <strong class="text-broken">destroys ${destroys}</strong>`
      }</small
    >
    <span class="aside">${usual === undefined ? '' : durationText(usual)}</span>
  </li>`;

const totalOf = ({ usual }: DeployPlans, label: string): Markup =>
  usual === undefined
    ? html`<p class="total">
        <small>How long it takes is not known yet: too few deployments of machines like ${label}.</small>
      </p>`
    : html`<p class="total">
        Usually ready after <strong>${durationText(usual.seconds)}</strong>, measured on
        ${plural(usual.samples, 'earlier deployment')} of machines like ${label}.
      </p>`;
