// What a browser keeps, in a cookie, while its person signs in at the provider. It binds the answer of the provider to this browser,
// and needs no memory of the daemon, which strangers could fill.
import { isJsonObject } from '../../../model/json.ts';

export interface Flow {
  readonly state: string;
  readonly nonce: string;
  /** The secret of PKCE: only who has it can use the code of the provider. */
  readonly verifier: string;
  /** Where the provider sends the browser back to. */
  readonly redirect: string;
  /** The path of the page that the person wanted. */
  readonly next: string;
  /** When the sign-in began, in milliseconds since the epoch. */
  readonly began: number;
}

export const flowText = (flow: Flow): string => Buffer.from(JSON.stringify(flow)).toString('base64url');

/** Returns undefined for a text that `flowText` has not made. */
export function flowIn(text: string): Flow | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (!isJsonObject(value) || typeof value['began'] !== 'number') return undefined;
    const texts = ['state', 'nonce', 'verifier', 'redirect', 'next'].map((name) => value[name]);
    return texts.every((each) => typeof each === 'string' && each !== '')
      ? (value as unknown as Flow)
      : undefined;
  } catch {
    return undefined;
  }
}
