import { createHash, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { request as send } from 'undici';
import { z } from 'zod';
import { isOfOwnPage } from '../access/own-names.ts';
import type { Caller } from '../access/caller.ts';
import { ProblemError } from '../problem-error.ts';
import { EndedSessions } from './ended-sessions.ts';
import type { OidcProvider } from './oidc-provider.ts';
import { cookieKey, SealedCookie } from './sealed-cookie.ts';

/** Somebody types a password, and looks for a second factor. */
const loginSeconds = 600;
/** A day's work. */
const sessionSeconds = 8 * 3600;
const timeoutMs = 10_000;

const Session = z.object({ sub: z.string(), jti: z.string(), exp: z.number() }).loose();
const Login = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() });
const TokenAnswer = z.object({ id_token: z.string() });

export interface SignInOptions {
  provider: OidcProvider;
  /** By which browsers reach this server; undefined: as each asks. */
  publicUrl: string | undefined;
  /** SERVER_LINK_KEY */
  secret: string | undefined;
  /** Where is kept which sessions have ended; undefined: in the memory of this process. */
  endedFolder: string | undefined;
}

/** In the page: the code flow with PKCE at the provider, and then a session in a cookie that no script can read. */
export class SignIn {
  readonly #provider: OidcProvider;
  readonly #publicUrl: string | undefined;
  readonly #ended: EndedSessions;
  readonly #session: SealedCookie;
  readonly #login: SealedCookie;

  constructor({ provider, publicUrl, secret, endedFolder }: SignInOptions) {
    this.#provider = provider;
    this.#ended = new EndedSessions(endedFolder);
    this.#publicUrl = publicUrl?.replace(/\/$/, '');
    const isSecure = publicUrl?.startsWith('https:') === true;
    const common = { isSecure };
    this.#session = new SealedCookie({
      ...{ ...common, name: 'holdfast_session', key: cookieKey(secret, 'session') },
      ...{ lifetimeSeconds: sessionSeconds, sameSite: 'strict' },
    });
    this.#login = new SealedCookie({
      ...{ ...common, name: 'holdfast_login', key: cookieKey(secret, 'login') },
      ...{ lifetimeSeconds: loginSeconds, sameSite: 'lax' },
    });
  }

  /** Of a bearer token of the provider, or of a session of the page. */
  async identify(request: Request): Promise<Caller | undefined> {
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
      const payload = token === undefined ? undefined : await this.#provider.verify(token);
      return payload === undefined ? undefined : this.#provider.callerOf(payload);
    }
    const session = Session.safeParse(await this.#session.read(request)).data;
    if (session === undefined || (await this.#ended.has(session.jti))) return undefined;
    // A cookie goes along with whatever asks, so who asks has to be our own page.
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    if (!isSafe && !this.#isOfOwnPage(request)) {
      throw new ProblemError('host_forbidden', 'A page of another origin may not use this session.');
    }
    if (request.res !== undefined) this.#ended.watch(session.jti, session.exp * 1000, request.res);
    return this.#provider.callerOf(session);
  }

  /** To the provider. */
  async begin(request: Request, response: Response): Promise<void> {
    const { authorization_endpoint: endpoint } = await this.#provider.endpoints();
    const [state, nonce, verifier] = [randomText(), randomText(), randomText()];
    await this.#login.set(response, { state, nonce, verifier, to: placeOf(request.query['to']) });
    const url = new URL(endpoint);
    const parameters = {
      ...{ client_id: this.#provider.settings.clientId, redirect_uri: this.#callback(request) },
      ...{ response_type: 'code', scope: 'openid', state, nonce },
      ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    response.redirect(url.href);
  }

  /** Back from the provider. */
  async end(request: Request, response: Response): Promise<void> {
    const login = Login.safeParse(await this.#login.read(request)).data;
    this.#login.clear(response);
    const { code, state } = request.query;
    if (login === undefined || state !== login.state || typeof code !== 'string') throw notSignedIn();
    const payload = await this.#provider.verifyIdToken(await this.#exchange(code, login.verifier, request));
    const caller = payload === undefined ? undefined : this.#provider.callerOf(payload);
    if (payload === undefined || payload['nonce'] !== login.nonce || caller === undefined) throw notSignedIn();
    const jti = randomText();
    await this.#session.set(response, { ...this.#provider.keptClaims(payload), jti });
    response.redirect(login.to);
  }

  /** Also for whoever has a copy of the cookie. */
  async signOut(request: Request, response: Response): Promise<void> {
    if (!this.#isOfOwnPage(request))
      throw new ProblemError('host_forbidden', 'A page of another origin may not do that.');
    const session = Session.safeParse(await this.#session.read(request)).data;
    this.#session.clear(response);
    if (session !== undefined) await this.#ended.end(session.jti, session.exp * 1000, response);
    response.status(204).end();
  }

  async #exchange(code: string, verifier: string, request: Request): Promise<string> {
    const { token_endpoint: endpoint } = await this.#provider.endpoints();
    const { clientId, clientSecret } = this.#provider.settings;
    const form = new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: this.#callback(request) },
      ...(clientSecret === undefined && { client_id: clientId }),
    });
    const basic = [clientId, clientSecret ?? ''].map(encodeURIComponent).join(':');
    const answer = await send(endpoint, {
      ...{ method: 'POST', body: form.toString(), headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(clientSecret !== undefined && { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
      },
    }).catch(() => undefined);
    const parsed = TokenAnswer.safeParse(await answer?.body.json().catch(() => undefined)).data;
    if (parsed === undefined) throw notSignedIn();
    return parsed.id_token;
  }

  /** Under http a page could be anybody's who sits in between. */
  #isOfOwnPage(request: Request): boolean {
    const { origin } = request.headers;
    if (this.#publicUrl === undefined || origin === undefined) return isOfOwnPage(request);
    // Many proxies ask under a Host of their own.
    return origin === new URL(this.#publicUrl).origin;
  }

  #callback(request: Request): string {
    return `${this.#publicUrl ?? `http://${request.headers.host ?? 'localhost'}`}/login/callback`;
  }
}

function randomText(): string {
  return randomBytes(32).toString('base64url');
}

/** A path of this server alone. */
function placeOf(to: unknown): string {
  return typeof to === 'string' && /^\/(?![/\\])[\x21-\x7e]{0,500}$/.test(to) ? to : '/';
}

function notSignedIn(): ProblemError {
  return new ProblemError('unauthorized', 'The sign-in was not finished, or took too long. Open /login to try again.');
}
