import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensurePage } from '../../../scripts/setup/page.mjs';
import { launchBrowser } from '../../support/browser.ts';
import { freePort } from '../../support/ports.ts';
import { type Environment, startNode, type TestProcess } from '../../support/process.ts';
import { TestServer } from '../../support/server.ts';
import { toolPath } from '../../support/tools.ts';
import { useFolder } from '../../support/folder.ts';

// Sign-in does not need Temporal.

const chromiumPath = await toolPath('CHROMIUM_PATH');

let provider: TestProcess;
let server: TestServer;
const root = useFolder();
let environment: Environment;
let browser: Awaited<ReturnType<typeof launchBrowser>>;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  await ensurePage(process.execPath);
  const [port, providerPort] = [await freePort(), await freePort()];
  const callback = `http://127.0.0.1:${port}/login/callback`;
  provider = startNode('test/fixtures/oidc-provider.mjs', { PORT: String(providerPort), REDIRECT_URI: callback });
  await provider.untilLogged(/^Listening on/);
  environment = {
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    SERVER_PORT: String(port),
    SERVER_LINK_KEY: 'k'.repeat(32),
    OIDC_ISSUER: `http://127.0.0.1:${providerPort}`,
    OIDC_CLIENT_ID: 'holdfast',
    MEDIA_ROOT: root,
  };
  server = await TestServer.start(environment);
  browser = await launchBrowser(chromiumPath);
  context = await browser.newContext();
  page = await context.newPage();
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  await provider.stop('SIGTERM');
});

/** Signs in at the provider: name, password and consent. */
async function signIn(name: string, to: string): Promise<void> {
  await page.goto(`${server.url}/login?to=${encodeURIComponent(to)}`);
  await page.fill('input[name=login]', name);
  await page.fill('input[name=password]', 'any');
  await page.click('button[type=submit]');
  await page.click('button:has-text("Continue")');
  await page.waitForURL(`${server.url}/**`);
}

async function ask(method: string, path: string): Promise<{ status: number; body: unknown }> {
  return await page.evaluate(
    async ([verb, place]) => {
      const answer = await fetch(place ?? '', { method: verb ?? '' });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
    },
    [method, path],
  );
}

test('a person signs in at the provider, owns their runs, and signs out', async () => {
  expect(await server.get('/api/session')).toMatchObject({ status: 401, body: { login: '/login' } });
  await page.goto(`${server.url}/operators`);
  const link = page.getByRole('link', { name: 'Sign in with your account' });
  expect(await link.getAttribute('href')).toBe('/login?to=%2Foperators');
  await signIn('anna', '/runs/one?x=1');
  expect(page.url()).toBe(`${server.url}/runs/one?x=1`);
  const session = { owner: 'anna', scopes: ['read', 'run'], signedIn: true, hasTokens: true };
  expect(await ask('GET', '/api/session')).toMatchObject({ status: 200, body: session });
  // The page's own request passes the origin check, and only its body is invalid.
  expect(await ask('POST', '/api/runs')).toMatchObject({ status: 400 });
  expect(await ask('GET', '/api/limiters')).toMatchObject({ status: 403 });
  expect(await page.evaluate('document.cookie')).toBe('');

  const cookies = await context.cookies();
  const found = cookies.find(({ name }) => name === 'holdfast_session');
  expect(found).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
  expect(cookies.some(({ name }) => name === 'holdfast_login')).toBe(false);
  const cookie = `holdfast_session=${found?.value}`;
  expect((await server.get('/api/session', { cookie })).status).toBe(200);
  // The cookie changes nothing from another page or without an origin.
  for (const from of [{ origin: 'https://evil.test' }, { 'sec-fetch-site': 'cross-site' }, {}, { origin: 'null' }]) {
    for (const path of ['/api/runs', '/logout']) {
      const answer = await server.post(path, {}, { cookie, ...from });
      expect(answer, JSON.stringify(from)).toMatchObject({ status: 403, body: { code: 'host_forbidden' } });
    }
  }
  for (const other of [`${cookie}x`, 'holdfast_session=', `holdfast_login=${found?.value}`, 'holdfast_session=a.b.c']) {
    expect((await server.get('/api/session', { cookie: other })).status).toBe(401);
  }
  expect(server.process.output).not.toContain(found?.value);
  await page.goto(server.url);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await link.waitFor();
  expect(await ask('GET', '/api/session')).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  // A copy of the cookie is refused, even after a restart.
  expect((await server.get('/api/session', { cookie })).status).toBe(401);
  await server.stop();
  server = await TestServer.start(environment);
  expect((await server.get('/api/session', { cookie })).status).toBe(401);
});

test('behind TLS, cookies are bound to the host and requests from plain HTTP pages are refused', async () => {
  const host = 'media.test';
  const secure = await TestServer.start({ ...environment, SERVER_PORT: '0', SERVER_PUBLIC_URL: `https://${host}/` });
  const begun = await secure.get('/login');
  expect(begun.status).toBe(302);
  const { searchParams } = new URL(String(begun.headers['location']));
  expect(Object.fromEntries(searchParams)).toEqual({
    client_id: 'holdfast',
    redirect_uri: `https://${host}/login/callback`,
    response_type: 'code',
    scope: 'openid',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
  expect(String(begun.headers['set-cookie'])).toMatch(
    /^__Host-holdfast_login=\S+; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
  );
  // One proxy keeps the Host header, the other one replaces it.
  for (const asked of [host, '127.0.0.1:8088']) {
    const from = (origin: string) => secure.post('/logout', undefined, { host: asked, origin });
    expect((await from(`http://${asked}`)).status).toBe(403);
    expect((await from(`https://${host}`)).status).toBe(204);
  }
  await secure.stop();
});

test('refuses a sign-in that another browser began, and never redirects to another site', async () => {
  const foreign = await server.get('/login/callback?code=x&state=y');
  expect(foreign).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  for (const to of ['//evil.test', 'https://evil.test', String.raw`/\evil.test`, '/a\r\nx: y']) {
    await context.clearCookies();
    await signIn('bert', to);
    expect(page.url()).toBe(`${server.url}/`);
  }
  expect(await ask('GET', '/api/session')).toMatchObject({ status: 200, body: { owner: 'bert' } });
});
