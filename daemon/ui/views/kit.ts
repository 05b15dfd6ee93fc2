// The page /ui/kit: every component of the pages, for those who change them.
import { button, linkButton, menu, tabs } from '../kit/controls.ts';
import { checkField, inputField, selectField, textAreaField } from '../kit/fields.ts';
import { icon, ICON_NAMES } from '../kit/icon.ts';
import { html, type Markup } from '../kit/markup.ts';
import { toneMark } from '../kit/state.ts';
import { badge, card, emptyState, facts, notice, pageHead, progressBar, stat } from '../kit/surfaces.ts';
import { table } from '../kit/table.ts';

const TONES = ['good', 'working', 'attention', 'broken', 'idle'] as const;

const SAMPLES = [
  { name: 'web-1', tone: 'good', word: 'active', memory: 256 },
  { name: 'web-2', tone: 'working', word: 'cleaning', memory: 256 },
  { name: 'db-1', tone: 'broken', word: 'deploy failed', memory: 1024 },
] as const;

export const kitView = (): Markup =>
  html`${pageHead('Kit', { lead: 'Every component of the pages', buttons: [linkButton('/ui/', { label: 'Machines', icon: 'back' })] })}
    <div class="stack">
      ${[
        card({
          title: 'States',
          aside: 'a shape, a word, a colour',
          body: html`<div class="row">
            ${TONES.map((tone) => toneMark(tone, tone))}${TONES.map((tone) => badge(tone, tone))}
          </div>`,
        }),
        card({ title: 'Buttons', body: buttons() }),
        html`<div class="grid">
          ${stat({ value: 1, label: 'needs you', href: '#kit-table', tone: 'broken' })}
          ${stat({ value: 38, label: 'active', href: '#kit-table' })}
        </div>`,
        card({ title: 'Table', aside: '3 machines', id: 'kit-table', flush: true, body: samples() }),
        card({ title: 'Form', body: fields() }),
        card({
          title: 'Notices',
          body: html`<div class="stack">
            ${TONES.map((tone) => notice(tone, `A notice of tone ${tone}.`))}
          </div>`,
        }),
        card({ title: 'Tabs, facts, progress, steps', body: others() }),
        card({
          title: 'Empty',
          flush: true,
          body: emptyState({
            icon: 'servers',
            title: 'No machine yet',
            text: 'Why there is nothing, and what to do.',
            buttons: [linkButton('#main', { label: 'Add machines', look: 'primary', icon: 'add' })],
          }),
        }),
        card({
          title: 'Icons',
          body: html`<div class="row">
            ${ICON_NAMES.map((name) => html`<span class="row">${icon(name)} <small>${name}</small></span>`)}
          </div>`,
        }),
      ]}
    </div>`;

const buttons = (): Markup =>
  html`<div class="buttons">
    ${button({ label: 'Deploy 2 machines', look: 'primary' })}
    ${button({ label: 'Clean...', look: 'losing' })} ${button({ label: 'Refresh', icon: 'refresh' })}
    ${button({ label: 'Quiet', look: 'quiet' })} ${button({ label: 'Small', small: true })}
    ${menu('kit-menu', { label: 'Power', icon: 'power', side: 'left', items: [html`<a href="#main">power on</a>`, html`<a class="losing" href="#main">power off</a>`] })}
    <a class="chip" href="#main" aria-current="true">all 42</a> <a class="chip" href="#main">needs you 1</a>
    <kbd>/</kbd>
  </div>`;

const samples = (): Markup =>
  table({
    about: 'Machines',
    rows: SAMPLES,
    columns: [
      {
        title: 'Machine',
        isName: true,
        cell: ({ name }) => html`<a href="#main">${name}</a>`,
        sort: { href: '#main', now: 'ascending' },
      },
      { title: 'State', cell: ({ tone, word }) => toneMark(tone, word) },
      { title: 'Memory', look: 'number', cell: ({ memory }) => `${memory} GiB` },
    ],
  });

const fields = (): Markup =>
  html`<form class="form columns" method="get" action="/ui/kit">
    ${inputField({ name: 'host', label: 'Host name', placeholder: 'web-{n}.site.example', help: 'One {n} for the number of the machine' })}
    ${inputField({ name: 'address', label: 'BMC address', value: '10.0.0.300', wrong: '10.0.0.300 is no IP address and no host name; write it as in 10.0.0.30' })}
    ${selectField({ name: 'image', label: 'Image', empty: 'choose an image', choices: [{ value: 'debian-13', label: 'debian-13' }] })}
    ${textAreaField({ name: 'user_data', label: 'User data', full: true, rows: 3, placeholder: '#cloud-config' })}
    ${checkField({ name: 'wait', label: 'Wait until it is active' })}
  </form>`;

const others = (): Markup =>
  html`${tabs(
      'Kit',
      [
        { href: '/ui/kit', label: 'Overview' },
        { href: '#main', label: 'Sensors', count: 3 },
      ],
      '/ui/kit',
    )}
    <div class="grid">
      ${facts([
        ['Serial', html`<span class="mono">S4YN0M12</span>`],
        ['Class', 'web'],
      ])}
      <p>${progressBar('Cleaning', { value: 3, max: 5 })} 3 of 5, about 2 min</p>
      <ol class="steps">
        <li>boot the agent<small>1 firmware boot</small><span class="aside">about 3 min</span></li>
        <li>write debian-13<small>3.1 GB</small><span class="aside">50 s</span></li>
      </ol>
    </div>`;
