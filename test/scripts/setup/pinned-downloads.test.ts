import { expect, test } from 'vitest';
import { filesIn, textOf } from '../../support/project-files.ts';

const setup = filesIn('scripts/setup').filter((path) => path.endsWith('.mjs'));

test('each program that set-up builds with Go has one version whose digest Go looks up', () => {
  const countIn = (path: string, pattern: RegExp): number => [...textOf(path).matchAll(pattern)].length;
  const modules = setup.filter((path) => countIn(path, /^ +module: /gm) > 0);
  expect(modules.length).toBeGreaterThan(3);
  // `pinnedBy` is a folder with go.mod and go.sum. A table has a version in each row.
  const isPinned = (path: string): boolean =>
    /const version = 'v\d+\.\d+\.\d+'|pinnedBy: /.test(textOf(path)) ||
    countIn(path, /^ +version: 'v\d+\.\d+\.\d+'/gm) === countIn(path, /^ +module: /gm);
  expect(modules.filter((path) => !isPinned(path))).toEqual([]);
  // Without the checksum look-up a proxy could deliver another program.
  expect(setup.filter((path) => /GONOSUM|GONOSUMDB|GOFLAGS: '-insecure|GOSUMDB/.test(textOf(path)))).toEqual([]);
});

test('the servers that the SDK downloads have one version, and Maven’s downloads have checksums', () => {
  expect(textOf('scripts/setup/ephemeral-server.mjs')).toMatch(/type: 'cached-download', version,/);
  const calls = setup.flatMap((path) => [...textOf(path).matchAll(/await sdkDownload\(node, '[\w-]+', ([^,]+),/g)]);
  expect(new Set(calls.map(([, version]) => version))).toEqual(new Set(['`v${version}`', 'version']));
  // Without this flag Maven only warns about a wrong checksum.
  expect(textOf('scripts/setup/test-server.mjs')).toContain("'--strict-checksums'");
});

test('each PyPI package that set-up installs has one version', () => {
  const requirements = textOf('examples/python/requirements.txt').trim().split('\n');
  const lists = setup.flatMap((path) => [
    ...textOf(path).matchAll(/^(?:const packages =|    packages:) \[(.*)\][;,]$/gm),
  ]);
  const named = lists.flatMap(([, list = '']) => list.split(', ').map((name) => name.replaceAll("'", '')));
  expect(named.length).toBeGreaterThan(3);
  expect([...requirements, ...named].filter((name) => !/^[\w-]+==\d[\w.]*$/.test(name))).toEqual([]);
});

test.each(['scripts/setup/vmaf-requirements.txt', 'scripts/check-image/compose-requirements.txt'])(
  'each package of %s has its digests',
  (path) => {
    const wanted = textOf(path).replaceAll(/^#.*$/gm, '').replaceAll('\\\n', ' ').trim().split('\n');
    expect(wanted.filter((line) => !/^[\w-]+==\S+(?:\s+--hash=sha256:[0-9a-f]{64})+$/.test(line.trim()))).toEqual([]);
  },
);

test('each npm package that Linux installs has its digest', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { integrity?: string; optional?: boolean }>;
  };
  const isOfOtherSystem = (path: string): boolean =>
    /android|darwin|freebsd|win32|openharmony|musl|ppc64|riscv64|s390x|arm-gnueabihf/.test(path);
  const without = Object.entries(packages)
    .filter(
      ([path, { integrity, optional }]) =>
        path !== '' && integrity === undefined && !(optional && isOfOtherSystem(path)),
    )
    .map(([path]) => path);
  expect(without).toEqual([]);
});

test('each npm package for Linux on x86-64 has its like for arm64, with a digest', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { cpu?: string[]; os?: string[]; integrity?: string }>;
  };
  const forX64 = Object.entries(packages).filter(
    ([path, { cpu, os }]) => cpu?.includes('x64') && os?.includes('linux') && !path.endsWith('musl'),
  );
  expect(forX64.length).toBeGreaterThan(5);
  const without = forX64
    .map(([path]) => path.replace('linux-x64', 'linux-arm64'))
    .filter((path) => packages[path]?.integrity === undefined || !packages[path].cpu?.includes('arm64'));
  expect(without).toEqual([]);
});
