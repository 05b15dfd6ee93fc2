// The view Health: every check of the daemon, with failing checks at the top.
import type { HealthCheck } from '../read/health.ts';
import { html, type Markup } from './markup.ts';

const RESULTS: Readonly<Record<string, Markup>> = {
  true: html`ok`,
  false: html`<strong class="failed">FAIL</strong>`,
  undefined: html`not tried`,
};

export function healthView(checks: readonly HealthCheck[]): Markup {
  const failing = checks.filter(({ ok }) => ok === false);
  return html`<h1>Health</h1>
    <section id="health" data-live data-every="15">
      <p>
        ${
          failing.length === 0
            ? 'No check fails.'
            : html`<strong class="failed">${failing.length} of ${checks.length} checks fail.</strong>`
        }
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Result</th>
            <th scope="col">Check</th>
            <th scope="col">Detail</th>
          </tr>
        </thead>
        <tbody>
          ${[...failing, ...checks.filter(({ ok }) => ok !== false)].map(
            ({ name, ok, detail }) =>
              html`<tr>
                <td>${RESULTS[String(ok)]}</td>
                <th scope="row">${name}</th>
                <td>${detail}</td>
              </tr>`,
          )}
        </tbody>
      </table>
      <p><code>ironic-edge doctor</code> also checks the host: its programs, ports and files.</p>
    </section>`;
}
