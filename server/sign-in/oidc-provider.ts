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
  /** Claim with the token's scopes. */
  scopesClaim: string;
  /** Scopes of a token without a known scope. */
  defaultScopes: readonly Scope[];
}

/** Asymmetric algorithms only: the provider publishes the key, so symmetric ones and `none` prove nothing. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const clockToleranceSeconds = 30;
const timeoutMs = 5_000;
/** Delay after a failed discovery. */
const retryMs = 5_000;

const Discovery = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
});
export type Endpoints = z.infer<typeof Discovery>;

const Owner = commonInputShape.owner.unwrap();

/** The OpenID provider. Each of its users is a caller who owns runs under the token's `sub`. */
export class OidcProvider {
  readonly settings: OidcSettings;
  #found: Promise<{ endpoints: Endpoints; keys: JWTVerifyGetKey }> | undefined;

  constructor(settings: OidcSettings) {
    this.settings = settings;
  }

  async endpoints(): Promise<Endpoints> {
    return (await this.#discover()).endpoints;
  }

  /** Undefined for a token that is not the provider's, has expired or is for another client. */
  async verify(token: string): Promise<JWTPayload | undefined> {
    if (token.split('.').length !== 3) return undefined;
    const { keys, endpoints } = await this.#discover();
    const { clientId } = this.settings;
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: endpoints.issuer,
        audience: clientId,
        algorithms,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['sub', 'exp'],
      });
      return payload;
    } catch (error) {
      if (isUnreachable(error)) throw unavailable();
      return undefined;
    }
  }

  /** Verifies an ID token; one with several audiences needs an `azp` that names this client (OpenID Connect Core, 3.1.3.7). */
  async verifyIdToken(token: string): Promise<JWTPayload | undefined> {
    const payload = await this.verify(token);
    const { aud, azp } = payload ?? {};
    const isOfOther = azp === undefined ? Array.isArray(aud) && aud.length > 1 : azp !== this.settings.clientId;
    return isOfOther ? undefined : payload;
  }

  /** Undefined if `sub` is not a valid owner. */
  callerOf(payload: JWTPayload): Caller | undefined {
    const owner = Owner.safeParse(payload.sub).data;
    if (owner === undefined) return undefined;
    const { scopesClaim, defaultScopes } = this.settings;
    const named = namedScopes(payload[scopesClaim]);
    const granted = new Set(named.length === 0 ? defaultScopes : named);
    const caller: Caller = { id: `sub ${owner}`, owner, scopes: granted };
    if (payload.exp !== undefined) caller.expiresAtMs = (payload.exp + clockToleranceSeconds) * 1000;
    return caller;
  }

  /**
   * The claims that `callerOf` reads. Other claims may hold hundreds of groups, and browsers limit a cookie to 4 KB.
   */
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
      // Without this check, another issuer's keys would be trusted.
      if (endpoints.issuer !== issuer) throw new Error(`The discovery document names the issuer ${endpoints.issuer}`);
      return { endpoints, keys: createRemoteJWKSet(new URL(endpoints.jwks_uri), { timeoutDuration: timeoutMs }) };
    } catch (error) {
      setTimeout(() => (this.#found = undefined), retryMs).unref();
      throw unavailable(error);
    }
  }
}

/** Reads a list, or names separated by spaces as in `scope`. Unknown names belong to other services. */
function namedScopes(claim: unknown): Scope[] {
  const names: unknown[] = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return allScopes.filter((scope) => names.includes(scope) || names.includes(`holdfast:${scope}`));
}

/** True if the keys could not be fetched, or the answer is no key set; every other error is the token's. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return true;
  if (!(error instanceof errors.JOSEError)) return true;
  return error.code === 'ERR_JOSE_GENERIC';
}

function unavailable(cause?: unknown): ProblemError {
  const message = 'The sign-in provider (OIDC_ISSUER) cannot be used at the moment. Try again.';
  return Object.assign(new ProblemError('sign_in_unavailable', message), { cause });
}
