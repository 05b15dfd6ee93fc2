// The tab Console of a machine. Without JavaScript it is the text that the machine showed; with it, console.js puts a terminal in its
// place if the console is a serial line. If the BMC shows the screen, there is a link to its page.
import { includesRole } from '../../../http/login/route-access.ts';
import type { Role } from '../../../model/roles.ts';
import type { ConsoleKind, ConsoleShown } from '../../read/node-tabs.ts';
import { actionForm } from '../forms.ts';
import { html, type Markup } from '../../kit/markup.ts';

interface ConsoleTab extends ConsoleShown {
  readonly kind: ConsoleKind;
  readonly role: Role;
}

export const consoleTab = ({ node, label, enabled, text, kind, role }: ConsoleTab): Markup =>
  html`<section
    id="console"
    aria-label="Serial console"
    data-node="${node}"
    ${kind === 'serial' ? html`data-serial` : ''}
    ${includesRole(role, 'operator') ? html`data-may-type` : ''}
  >
    <p id="console-notice" class="notice attention" role="alert" hidden></p>
    <div class="row console-head">
      <p id="console-state" role="status">${stateOf(node, enabled, kind)}</p>
      <div id="console-enable" ${enabled || kind === 'absent' ? html`hidden` : ''}>
        ${actionForm(node, 'console-on', { label: 'Enable the console' })}
      </div>
      <div id="console-tools" class="buttons" hidden>
        <button type="button" id="console-take" class="primary" hidden>Type</button>
        <button type="button" id="console-stop" hidden>Stop typing</button>
        <button
          type="button"
          id="console-size"
          title="Types the command stty, so that the shell on the machine knows how large this window is"
          hidden
        >
          Send window size
        </button>
        <button type="button" id="console-copy">Copy text</button>
      </div>
    </div>
    <div id="console-terminal" hidden></div>
    <pre id="console-text" tabindex="0" data-tail>
${text === '' ? 'The machine has shown nothing yet.' : text}</pre>
    <p class="hint">
      <kbd>Ctrl</kbd>+<kbd>Shift</kbd>+<kbd>E</kbd> leaves the console.
      <a href="/ui/nodes/${node}/console.txt">As text</a>. In a terminal:
      <code>ironic-edge node console ${label}</code>
    </p>
  </section>`;

function stateOf(node: string, enabled: boolean, kind: ConsoleKind): Markup | string {
  if (kind === 'absent')
    return html`This machine has no console: its console interface is <code>no-console</code>.
      <a href="/ui/nodes/${node}/settings">Settings</a> may offer another.`;
  if (!enabled) return 'The console is disabled: what the machine shows now is not kept.';
  if (kind === 'serial') return 'The console is enabled.';
  return html`The BMC shows the screen of this machine on a page of its own:
    <a href="${kind.screen}" target="_blank" rel="noopener noreferrer">${kind.screen}</a>`;
}
