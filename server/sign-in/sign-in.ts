import { createHash, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { request as send } from 'undici';
import { z } from 'zod';
import { isOfOwnPage } from '../access/own-names.ts';
import type { Caller } from '../access/caller.ts';
import { sealingKey } from '../access/sealed-token.ts';
import { bearerToken } from '../access/tokens.ts';
import { ProblemError } from '../problem-error.ts';
import { EndedSessions } from './ended-sessions.ts';
import type { OidcProvider } from './oidc-provider.ts';
import { SealedCookie } from './sealed-cookie.ts';

/** Time to type a password and find a second factor. */
const loginSeconds = 600;
/** A working day. */
const sessionSeconds = 8 * 3600;
const timeoutMs = 10_000;

const Session = z.object({ sub: z.string(), jti: z.string(), exp: z.number() }).loose();
const Login = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() });
const TokenAnswer = z.object({ id_token: z.string() });

export interface SignInOptions {
  provider: OidcProvider;
  /** URL by which browsers reach this server; undefined means the request's Host. */
  publicUrl: string | undefined;
  /** `SERVER_LINK_KEY` */
  secret: string | undefined;
  /** Folder for ended sessions; undefined keeps them in memory. */
  endedFolder: string | undefined;
}

/** The page's sign-in: code flow with PKCE at the provider, then a session in a sealed cookie. */
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
    this.#session = new SealedCookie({
      isSecure,
      name: 'holdfast_session',
      key: sealingKey(secret, 'session'),
      lifetimeSeconds: sessionSeconds,
      sameSite: 'strict',
    });
    this.#login = new SealedCookie({
      isSecure,
      name: 'holdfast_login',
      key: sealingKey(secret, 'login'),
      lifetimeSeconds: loginSeconds,
      sameSite: 'lax',
    });
  }

  /** Finds the caller by the provider's bearer token or by the page's session. */
  async identify(request: Request): Promise<Caller | undefined> {
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const token = bearerToken(authorization);
      const payload = token === undefined ? undefined : await this.#provider.verify(token);
      return payload === undefined ? undefined : this.#provider.callerOf(payload);
    }
    const session = Session.safeParse(await this.#session.read(request)).data;
    if (session === undefined || (await this.#ended.has(session.jti))) return undefined;
    // Browsers attach the cookie to requests of any page, so unsafe requests must come from our own (CSRF).
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    if (!isSafe && !this.#isOfOwnPage(request)) {
      throw new ProblemError('host_forbidden', 'A page of another origin may not use this session.');
    }
    if (request.res !== undefined) this.#ended.watch(session.jti, session.exp * 1000, request.res);
    return this.#provider.callerOf(session);
  }

  /** Redirects to the provider. */
  async begin(request: Request, response: Response): Promise<void> {
    const { authorization_endpoint: endpoint } = await this.#provider.endpoints();
    const [state, nonce, verifier] = [randomText(), randomText(), randomText()];
    await this.#login.set(response, { state, nonce, verifier, to: placeOf(request.query['to']) });
    const url = new URL(endpoint);
    const parameters = {
      client_id: this.#provider.settings.clientId,
      redirect_uri: this.#callback(request),
      response_type: 'code',
      scope: 'openid',
      state,
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    response.redirect(url.href);
  }

  /** Handles the provider's redirect and starts the session. */
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

  /** Ends the session on the server too, so that a copied cookie is refused. */
  async signOut(request: Request, response: Response): Promise<void> {
    if (!this.#isOfOwnPage(request))
      throw new ProblemError('host_forbidden', 'A page of another origin may not use this session.');
    const session = Session.safeParse(await this.#session.read(request)).data;
    this.#session.clear(response);
    if (session !== undefined) await this.#ended.end(session.jti, session.exp * 1000, response);
    response.status(204).end();
  }

  async #exchange(code: string, verifier: string, request: Request): Promise<string> {
    const { token_endpoint: endpoint } = await this.#provider.endpoints();
    const { clientId, clientSecret } = this.#provider.settings;
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: this.#callback(request),
      ...(clientSecret === undefined && { client_id: clientId }),
    });
    const basic = [clientId, clientSecret ?? ''].map(encodeURIComponent).join(':');
    const answer = await send(endpoint, {
      method: 'POST',
      body: form.toString(),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(clientSecret !== undefined && { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
      },
    }).catch(() => undefined);
    const parsed = TokenAnswer.safeParse(await answer?.body.json().catch(() => undefined)).data;
    if (parsed === undefined) throw notSignedIn();
    return parsed.id_token;
  }

  /** Compares the origin including its scheme, because anyone on the network could serve a plain HTTP page. */
  #isOfOwnPage(request: Request): boolean {
    const { origin } = request.headers;
    if (this.#publicUrl === undefined || origin === undefined) return isOfOwnPage(request);
    // Many proxies replace the Host header.
    return origin === new URL(this.#publicUrl).origin;
  }

  #callback(request: Request): string {
    return `${this.#publicUrl ?? `http://${request.headers.host ?? 'localhost'}`}/login/callback`;
  }
}

function randomText(): string {
  return randomBytes(32).toString('base64url');
}

/** Accepts only a path of this server, so that the sign-in cannot redirect elsewhere. */
function placeOf(to: unknown): string {
  return typeof to === 'string' && /^\/(?![/\\])[\x21-\x7e]{0,500}$/.test(to) ? to : '/';
}

function notSignedIn(): ProblemError {
  return new ProblemError('unauthorized', 'The sign-in failed or took too long. Open /login to try again.');
}
