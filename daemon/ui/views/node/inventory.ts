// What the last inspection found in a machine: processor, memory, disks and network cards; then the whole inventory as JSON.
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import { html, type Markup } from '../markup.ts';

export function inventoryTab(inventory: JsonObject | undefined): Markup {
  if (inventory === undefined)
    return html`<h2>Inventory</h2>
      <p>No inventory of this machine is stored.</p>`;
  const { cpu, memory } = inventory;
  return html`<h2>Inventory</h2>
    <dl>
      ${fact('Processor', [of(cpu, 'model_name'), of(cpu, 'architecture'), amount(of(cpu, 'count'), 'threads')])}
      ${fact('Memory', [amount(of(memory, 'physical_mb'), 'MiB')])}
    </dl>
    ${table('Disks', inventory['disks'], ['name', 'size', 'model', 'serial'])}
    ${table('Network cards', inventory['interfaces'], ['name', 'mac_address', 'ipv4_address', 'has_carrier', 'product'])}
    <details id="whole">
      <summary>The whole inventory as JSON</summary>
      <pre tabindex="0">${pretty(inventory)}</pre>
    </details>`;
}

const pretty = (value: Json): string => JSON.stringify(value, null, 2);

const GIGABYTE = 1e9;

const of = (value: Json | undefined, name: string): string => {
  const found = isJsonObject(value) ? value[name] : undefined;
  if (name === 'size' && typeof found === 'number') return `${(found / GIGABYTE).toFixed(1)} GB`;
  return found === undefined || found === null || typeof found === 'object' ? '' : String(found);
};

const amount = (value: string, unit: string) => (value === '' ? '' : `${value} ${unit}`);

const fact = (name: string, values: readonly string[]): Markup =>
  html`<div>
    <dt>${name}</dt>
    <dd>${values.filter(Boolean).join(', ') || 'unknown'}</dd>
  </div>`;

const MOST_ROWS = 100;

function table(title: string, rows: Json | undefined, columns: readonly string[]): Markup {
  if (!Array.isArray(rows) || rows.length === 0) return html``;
  const list = rows as readonly Json[];
  return html`<h3>${title}</h3>
    <table>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column.replaceAll('_', ' ')}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${list.slice(0, MOST_ROWS).map(
          (row) =>
            html`<tr>
              ${columns.map((column) => html`<td>${of(row, column)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
    ${list.length > MOST_ROWS ? html`<p>${list.length - MOST_ROWS} more are in the JSON.</p>` : ''}`;
}

export const recordTab = (record: JsonObject): Markup =>
  html`<h2>Record</h2>
    <pre tabindex="0">${pretty(record)}</pre>`;
