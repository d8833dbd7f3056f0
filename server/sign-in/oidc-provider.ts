import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { request } from 'undici';
import { z } from 'zod';
import { commonInputShape } from '../../contract/workflow/common-input.ts';
import type { Caller, Scope } from '../access/caller.ts';
import { scopes as allScopes } from '../access/caller.ts';
import { ProblemError } from '../problem-error.ts';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  /** In which a token names scopes. */
  scopesClaim: string;
  /** Of those whose token names none. */
  defaultScopes: readonly Scope[];
}

/** Signed by a key that is published; the symmetric ones and `none` are no such thing. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const clockToleranceSeconds = 30;
/** Of an answer of the provider. */
const timeoutMs = 5_000;
/** After a discovery that has failed. */
const retryMs = 5_000;

const Discovery = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
});
export type Endpoints = z.infer<typeof Discovery>;

const Owner = commonInputShape.owner.unwrap();

/** Whoever signs in there is a caller: what it starts and sees is its own, by the `sub` of its tokens. */
export class OidcProvider {
  readonly settings: OidcSettings;
  #found: Promise<{ endpoints: Endpoints; keys: JWTVerifyGetKey }> | undefined;

  constructor(settings: OidcSettings) {
    this.settings = settings;
  }

  async endpoints(): Promise<Endpoints> {
    return (await this.#discover()).endpoints;
  }

  /** Undefined of a token that is none of the provider's, has expired, or is for another client. */
  async verify(token: string): Promise<JWTPayload | undefined> {
    if (token.split('.').length !== 3) return undefined;
    const { keys, endpoints } = await this.#discover();
    const { clientId } = this.settings;
    try {
      const { payload } = await jwtVerify(token, keys, {
        ...{ issuer: endpoints.issuer, audience: clientId, algorithms, clockTolerance: clockToleranceSeconds },
        requiredClaims: ['sub', 'exp'],
      });
      return payload;
    } catch (error) {
      if (isUnreachable(error)) throw unavailable();
      return undefined;
    }
  }

  /** As `verify`. One that is for several clients has to say that it was issued to this one (OpenID Connect Core, 3.1.3.7). */
  async verifyIdToken(token: string): Promise<JWTPayload | undefined> {
    const payload = await this.verify(token);
    const { aud, azp } = payload ?? {};
    const isOfOther = azp === undefined ? Array.isArray(aud) && aud.length > 1 : azp !== this.settings.clientId;
    return isOfOther ? undefined : payload;
  }

  /** Undefined where its `sub` cannot be an owner. */
  callerOf(payload: JWTPayload): Caller | undefined {
    const owner = Owner.safeParse(payload.sub).data;
    if (owner === undefined) return undefined;
    const { scopesClaim, defaultScopes } = this.settings;
    const named = namedScopes(payload[scopesClaim]);
    return { id: `sub ${owner}`, owner, scopes: new Set(named.length === 0 ? defaultScopes : named) };
  }

  /** All that `callerOf` reads. A claim may name hundreds of groups besides, and browsers keep no cookie of more than 4 KB. */
  keptClaims({ sub = '', ...claims }: JWTPayload): JWTPayload {
    const { scopesClaim } = this.settings;
    return { [scopesClaim]: namedScopes(claims[scopesClaim]), sub };
  }

  async #discover() {
    this.#found ??= this.#ask();
    return await this.#found;
  }

  async #ask() {
    const { issuer } = this.settings;
    try {
      const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
      const answer = await request(url, { headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
      const endpoints = Discovery.parse(await answer.body.json());
      // Another's keys would be taken for the issuer's.
      if (endpoints.issuer !== issuer) throw new Error(`It calls itself ${endpoints.issuer}`);
      return { endpoints, keys: createRemoteJWKSet(new URL(endpoints.jwks_uri), { timeoutDuration: timeoutMs }) };
    } catch (error) {
      setTimeout(() => (this.#found = undefined), retryMs).unref();
      throw unavailable(error);
    }
  }
}

/** A list, or names with spaces between them as `scope` has them. Others mean other services. */
function namedScopes(claim: unknown): Scope[] {
  const names: unknown[] = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return allScopes.filter((scope) => names.includes(scope) || names.includes(`holdfast:${scope}`));
}

/** The keys could not be had; every other error is one of the token. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError)) return true;
  return error.code === 'ERR_JOSE_GENERIC';
}

function unavailable(cause?: unknown): ProblemError {
  const problem = new ProblemError(
    'sign_in_unavailable',
    'The provider of OIDC_ISSUER, which says who you are, cannot be used at the moment. Please retry.',
  );
  problem.cause = cause;
  return problem;
}
