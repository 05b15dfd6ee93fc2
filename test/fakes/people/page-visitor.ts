// A browser without a screen: keeps cookies, follows no redirects by itself, and sends the headers that browsers send.
import type { Core } from '../../../daemon/main.ts';

type Given = Readonly<Record<string, string>>;

const NAVIGATION = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly location: string;
}

export class PageVisitor {
  readonly cookies = new Map<string, string>();
  /** The Set-Cookie headers of all answers. */
  readonly given: string[] = [];
  readonly #app: Core['app'];
  readonly #origin: string;
  readonly #always: Given;

  /** `always`: headers of each request. */
  constructor(app: Core['app'], origin = 'http://ironic.test', always: Given = {}) {
    this.#app = app;
    this.#origin = origin;
    this.#always = always;
  }

  /** Opens a page, as if its address was typed. */
  open(path: string, headers: Given = {}): Promise<Shown> {
    return this.send(path, { headers: { ...NAVIGATION, 'sec-fetch-site': 'none', ...headers } });
  }

  /** Sends a form of the page. */
  submit(path: string, fields: Given, headers: Given = {}): Promise<Shown> {
    const body = new URLSearchParams(fields).toString();
    return this.send(path, {
      method: 'POST',
      body,
      headers: {
        ...NAVIGATION,
        'sec-fetch-site': 'same-origin',
        origin: this.#origin,
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(body.length),
        ...headers,
      },
    });
  }

  /** Sends what a script of the page sends. */
  script(
    path: string,
    init: Omit<RequestInit, 'headers'> & { readonly headers?: Given } = {},
  ): Promise<Shown> {
    const fetched = { 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin', accept: '*/*' };
    return this.send(path, { ...init, headers: { ...fetched, ...init.headers } });
  }

  async send(path: string, init: RequestInit): Promise<Shown> {
    const response = await this.raw(path, init);
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: response.headers.get('location') ?? '',
    };
  }

  async raw(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers({ ...this.#always, ...(init.headers as Given) });
    if (this.cookies.size > 0)
      headers.set('cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await this.#app.fetch(new Request(`${this.#origin}${path}`, { ...init, headers }));
    for (const cookie of response.headers.getSetCookie()) {
      this.given.push(cookie);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (cookie.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  signIn(user: string, password: string, next = ''): Promise<Shown> {
    return this.submit('/ui/login', { user, password, next });
  }
}
