import type { ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OidcProvider, type OidcSettings } from '../../../server/sign-in/oidc-provider.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';

type Key = Awaited<ReturnType<typeof generateKeyPair>>;

let issuer: string;
let keys: Key;
let others: Key;
let asked: string[];
let published: { kid: string; key: Key['publicKey'] }[];
let isBroken: boolean;
let hasKeys: boolean;

beforeAll(async () => {
  [keys, others] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const answer = async (url: string, response: ServerResponse): Promise<void> => {
    asked.push(url);
    if (isBroken) return void response.writeHead(500).end();
    const jwks = published.map(async ({ kid, key }) => ({ ...(await exportJWK(key)), kid, use: 'sig' }));
    const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
    const keySet = hasKeys ? { keys: await Promise.all(jwks) } : { error: 'Try again later.' };
    const body = url === '/keys' ? keySet : { issuer, jwks_uri: `${issuer}/keys`, ...endpoints };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const server = await LoopbackServer.start(({ url = '' }, response) => void answer(url, response));
  issuer = server.url;
  return () => server.stop();
});

beforeEach(() => {
  [asked, isBroken, hasKeys, published] = [[], false, true, [{ kid: 'one', key: keys.publicKey }]];
  nowSeconds = Math.floor(Date.now() / 1000);
});

function provider(more: Partial<OidcSettings> = {}): OidcProvider {
  const settings = { issuer, clientId: 'page', clientSecret: undefined, scopesClaim: 'scope' };
  return new OidcProvider({ ...settings, defaultScopes: ['read', 'run'], ...more });
}

let nowSeconds: number;
const claims = (more: JWTPayload = {}): JWTPayload => ({
  iss: issuer,
  aud: 'page',
  sub: 'anna',
  iat: nowSeconds,
  exp: nowSeconds + 60,
  ...more,
});

async function sign(payload: JWTPayload, key: Key = keys, kid = 'one'): Promise<string> {
  return await new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid }).sign(key.privateKey);
}

describe('tokens', () => {
  test('accepts the issuer’s token for this client, and fetches the keys once', async () => {
    const oidc = provider();
    for (let calls = 0; calls < 3; calls += 1) {
      const payload = await oidc.verify(await sign(claims({ aud: ['other', 'page'] })));
      expect(oidc.callerOf(payload ?? {})).toEqual({
        id: 'sub anna',
        owner: 'anna',
        scopes: new Set(['read', 'run']),
        // The provider's clock may be half a minute behind.
        expiresAtMs: (nowSeconds + 90) * 1000,
      });
    }
    expect(asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  test.each<[string, () => Promise<string>]>([
    ['for another client', async () => sign(claims({ aud: 'other' }))],
    ['of another issuer', async () => sign(claims({ iss: 'https://evil.test' }))],
    ['that has expired', async () => sign(claims({ exp: nowSeconds - 60 }))],
    ['that is not valid yet', async () => sign(claims({ nbf: nowSeconds + 120 }))],
    ['that never expires', async () => sign({ iss: issuer, aud: 'page', sub: 'anna' })],
    ['without a subject', async () => sign({ iss: issuer, aud: 'page', exp: nowSeconds + 60 })],
    ['signed by another key with the same id', async () => sign(claims(), others)],
    ['signed by a key that is not published', async () => sign(claims(), others, 'two')],
    ['that is not signed', async () => `${base64({ alg: 'none' })}.${base64(claims())}.`],
    [
      'signed by the public key as a secret',
      async () => {
        const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(keys.publicKey)));
        return await new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret);
      },
    ],
    ['that was altered', async () => changed(await sign(claims()))],
    ['that is not a JWT', async () => 'a.b.c'],
    ['that is opaque', async () => '0123456789abcdef'],
  ])('refuses a token %s', async (_what, token) => {
    expect(await provider().verify(await token())).toBeUndefined();
  });

  test('tolerates a clock that is a little ahead or behind', async () => {
    expect(await provider().verify(await sign(claims({ exp: nowSeconds - 10, nbf: nowSeconds - 20 })))).toBeDefined();
    expect(await provider().verify(await sign(claims({ nbf: nowSeconds + 10 })))).toBeDefined();
  });

  test.each<[unknown, string[]]>([
    [undefined, ['read', 'run']],
    ['openid profile', ['read', 'run']],
    ['openid read', ['read']],
    ['holdfast:read holdfast:operate', ['read', 'operate']],
    [['run', 'other', 7], ['run']],
    [{ run: true }, ['read', 'run']],
  ])('reads from the claim %j the scopes %j', (scope, scopes) => {
    expect([...(provider().callerOf(claims({ scope }))?.scopes ?? [])]).toEqual(scopes);
    const named = provider({ scopesClaim: 'roles', defaultScopes: [] }).callerOf(claims({ roles: scope }));
    expect([...(named?.scopes ?? [])]).toEqual(scopes.length === 2 && scopes[1] === 'run' ? [] : scopes);
  });

  test.each(['', ' ', 'a"b', 'a\\b', 'a\nb', 'x'.repeat(201)])(
    'refuses the sub %j, which is not a valid owner',
    (sub) => {
      expect(provider().callerOf(claims({ sub }))).toBeUndefined();
    },
  );
});

test.each<[JWTPayload, boolean]>([
  [{ aud: 'page' }, true],
  [{ aud: ['page'] }, true],
  [{ aud: 'page', azp: 'page' }, true],
  [{ aud: ['page', 'other'], azp: 'page' }, true],
  [{ aud: ['page', 'other'] }, false],
  [{ aud: ['page', 'other'], azp: 'other' }, false],
  [{ aud: 'page', azp: 'other' }, false],
])('accepts an ID token with %j: %j', async (more, isOurs) => {
  const payload = await provider().verifyIdToken(await sign(claims(more)));
  expect(payload !== undefined).toBe(isOurs);
});

test('accepts a key that the provider publishes later and refuses a withdrawn one', async () => {
  published = [{ kid: 'two', key: others.publicKey }];
  const oidc = provider();
  expect(await oidc.verify(await sign(claims(), others, 'two'))).toBeDefined();
  expect(await oidc.verify(await sign(claims(), keys, 'one'))).toBeUndefined();
});

test('reports sign_in_unavailable if the provider is down, names another issuer or answers without keys', async () => {
  isBroken = true;
  await expect(provider().verify(await sign(claims()))).rejects.toMatchObject({ code: 'sign_in_unavailable' });
  isBroken = false;
  const renamed = provider({ issuer: `${issuer}/` });
  await expect(renamed.verify(await sign(claims()))).rejects.toMatchObject({ code: 'sign_in_unavailable' });
  hasKeys = false;
  await expect(provider().verify(await sign(claims()))).rejects.toMatchObject({ code: 'sign_in_unavailable' });
});

function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function changed(token: string): string {
  const [head, , signature] = token.split('.');
  return [head, base64(claims({ sub: 'bert' })), signature].join('.');
}
