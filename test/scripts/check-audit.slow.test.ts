import { execFile } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { packagesOfPage } from '../../scripts/check-audit.mjs';
import { testFolder } from '../support/folder.ts';
import { filesIn, projectRoot, textOf } from '../support/project-files.ts';
import { LoopbackServer } from '../support/loopback-server.ts';

/** Registry entry of a package with only the installed version. */
function packument(name: string): unknown {
  const manifest = JSON.parse(textOf(`node_modules/${name}/package.json`)) as { version: string };
  return { name, versions: { [manifest.version]: manifest } };
}

/** Audits against a registry with this answer about weaknesses. */
async function audit(status: number, body: string): Promise<{ code: number | null; said: string }> {
  const registry = await LoopbackServer.start((request, response) => {
    const name = decodeURIComponent(request.url ?? '').slice(1);
    // npm asks for the versions of packages that depend on a weak one.
    const answer = request.method === 'GET' ? JSON.stringify(packument(name)) : body;
    response.writeHead(request.method === 'GET' ? 200 : status).end(answer);
  });
  onTestFinished(() => registry.stop());
  // npm caches answers about weaknesses.
  const cache = testFolder();
  const env = {
    ...process.env,
    npm_config_registry: `${registry.url}/`,
    npm_config_fetch_retries: '0',
    npm_config_cache: cache,
  };
  return await new Promise((resolve) => {
    const child = execFile('node', [`${projectRoot}scripts/check-audit.mjs`], { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, said: stdout + stderr }),
    );
  });
}

test('an audit that the registry does not answer is reported as such and is no success', async () => {
  const { code, said } = await audit(405, '');
  expect(said).toMatch(/^NOT CHECKED: the registry does not answer audits \(405 /m);
  expect(code).toBe(77);
});

test('an audit without findings succeeds', async () => {
  const { code, said } = await audit(200, '{}');
  expect(said).toBe('0 of the npm packages have known weaknesses, 0 of them high or critical in what ships.\n');
  expect(code).toBe(0);
});

test.each([
  { name: 'express', severity: 'high', code: 1, why: 'in the image' },
  { name: 'hls.js', severity: 'critical', code: 1, why: 'in the page' },
  { name: 'url-parse', severity: 'high', code: 1, why: 'in the page, by another package' },
  { name: 'express', severity: 'moderate', code: 0, why: 'not serious' },
  { name: 'prettier', severity: 'critical', code: 0, why: 'of development alone' },
])('a weakness of $name of $severity severity ends with $code: it is $why', async ({ name, severity, code }) => {
  const weakness = { id: 1, url: 'https://weakness.example/1', title: 'Some', severity, vulnerable_versions: '*' };
  const told = await audit(200, JSON.stringify({ [name]: [weakness] }));
  expect(told.said).toMatch(new RegExp(`^${name} .*, ${severity}: Some \\(https://weakness.example/1\\)$`, 'm'));
  expect(told.code).toBe(code);
});

test('the audit knows the packages that are built into the page', () => {
  const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> };
  const imports = ['page', 'api-client']
    .flatMap((folder) => filesIn(folder, ['.ts', '.tsx']))
    .filter((file) => !/\/dist\/|vite\.config/.test(file))
    .flatMap((file) => [...textOf(file).matchAll(/(?:from |import\()'((?:@[^/']+\/)?[^./'][^/']*)/g)])
    .map(([, name = '']) => name)
    .filter((name) => name !== '@holdfast/client' && !Object.hasOwn(dependencies, name));
  expect([...new Set(imports)].toSorted()).toEqual(packagesOfPage);
});
