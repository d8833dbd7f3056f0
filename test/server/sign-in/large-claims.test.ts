import express from 'express';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { loginRouter } from '../../../server/http/login-routes.ts';
import { OidcProvider } from '../../../server/sign-in/oidc-provider.ts';
import { SignIn } from '../../../server/sign-in/sign-in.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';

async function listen(app: express.Express): Promise<string> {
  const server = await LoopbackServer.start(app);
  onTestFinished(() => server.stop());
  return server.url;
}

test('a person in hundreds of groups can sign in, because the cookie keeps only the scopes', async () => {
  const keys = await generateKeyPair('RS256');
  let nonce = '';
  const provider = express();
  const issuer = await listen(provider);
  provider.get('/.well-known/openid-configuration', (_request, response) => {
    const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
    response.json({ issuer, jwks_uri: `${issuer}/keys`, ...endpoints });
  });
  provider.get('/keys', async (_request, response) => {
    response.json({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', use: 'sig' }] });
  });
  provider.post('/token', async (_request, response) => {
    const groups = Array.from(
      { length: 300 },
      (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    );
    const token = new SignJWT({ nonce, groups: [...groups, 'holdfast:read'] })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience('page')
      .setSubject('anna')
      .setExpirationTime('1 min');
    response.json({ id_token: await token.sign(keys.privateKey) });
  });
  const settings = { issuer, clientId: 'page', clientSecret: undefined, scopesClaim: 'groups' };
  const signIn = new SignIn({
    publicUrl: undefined,
    secret: undefined,
    endedFolder: undefined,
    provider: new OidcProvider({ ...settings, defaultScopes: ['run'] }),
  });
  const app = express().use(loginRouter(signIn));
  app.get('/me', async (request, response) => {
    const caller = await signIn.identify(request);
    response.json({ owner: caller?.owner, scopes: [...(caller?.scopes ?? [])] });
  });
  const url = await listen(app);
  const cookieOf = (answer: Response): string => answer.headers.getSetCookie().at(-1)?.split(';')[0] ?? '';
  const begun = await fetch(`${url}/login`, { redirect: 'manual' });
  const asked = new URL(begun.headers.get('location') ?? '').searchParams;
  nonce = asked.get('nonce') ?? '';
  const back = `${url}/login/callback?code=x&state=${asked.get('state')}`;
  const ended = await fetch(back, { redirect: 'manual', headers: { cookie: cookieOf(begun) } });
  expect(ended.status).toBe(302);
  const cookie = cookieOf(ended);
  // Browsers' limit: https://httpwg.org/specs/rfc6265.html#implementation-limits
  expect(cookie.length).toBeLessThan(4096);
  const me = await fetch(`${url}/me`, { headers: { cookie } });
  expect(await me.json()).toEqual({ owner: 'anna', scopes: ['read'] });
});
