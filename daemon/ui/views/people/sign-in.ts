// The page on which people sign in: a document of its own, without the frame and without scripts.
import { button, linkButton } from '../../kit/controls.ts';
import { inputField } from '../../kit/fields.ts';
import { html, type Markup } from '../../kit/markup.ts';
import { notice } from '../../kit/surfaces.ts';

export interface SignInForm {
  /** The name of the site. */
  readonly site: string;
  /** The path of the folder with the files of the pages. */
  readonly assets: string;
  /** The path of the page that the visitor wanted. */
  readonly next: string;
  /** What the visitor typed before; empty the first time. */
  readonly user: string;
  /** Why the visitor is not signed in; undefined the first time. */
  readonly refusal: string | undefined;
  /** Whether the visitor has just signed out. */
  readonly isSignedOut: boolean;
  /** What the button for the provider says after "Sign in with"; undefined without a provider. */
  readonly provider: string | undefined;
}

export const signInPage = (form: SignInForm): Markup =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Sign in - ${form.site}</title>
        <link rel="icon" href="${form.assets}icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="${form.assets}page.css" />
      </head>
      <body>
        <main class="sign-in" id="main">
          <p class="brand">
            <img src="${form.assets}icon.svg" alt="" width="22" height="22" />ironic-edge
            <small>${form.site}</small>
          </p>
          <section class="card">
            <div class="body stack">
              <h1>Sign in</h1>
              ${said(form)} ${form.provider === undefined ? '' : atProvider(form, form.provider)}
              ${withPassword(form)}
            </div>
          </section>
        </main>
      </body>
    </html>`;

function said({ refusal, isSignedOut, provider }: SignInForm): Markup {
  if (refusal !== undefined) return notice('broken', refusal, true);
  if (!isSignedOut) return html``;
  if (provider === undefined) return notice('good', 'You are signed out.', true);
  return notice(
    'good',
    html`You are signed out here. <a href="/ui/login/oidc/logout">Sign out of ${provider} too</a>`,
    true,
  );
}

const atProvider = ({ next }: SignInForm, provider: string): Markup =>
  html`${linkButton(`/ui/login/oidc?next=${encodeURIComponent(next)}`, {
      label: `Sign in with ${provider}`,
      look: 'primary',
      icon: 'key',
    })}
    <p class="or">or with a password</p>`;

const withPassword = ({ next, user, provider }: SignInForm): Markup =>
  html`<form method="post" action="/ui/login" class="form">
    <input type="hidden" name="next" value="${next}" />
    ${inputField({ name: 'user', label: 'User', value: user, required: true, autocomplete: 'username' })}
    ${inputField({
      name: 'password',
      label: 'Password',
      type: 'password',
      required: true,
      autocomplete: 'current-password',
      maxLength: 1000,
    })}
    ${button({ label: 'Sign in', ...(provider === undefined && { look: 'primary' }) })}
  </form>`;
