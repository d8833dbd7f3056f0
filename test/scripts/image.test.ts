import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { processCommands } from '../../cli/completion-command.ts';
import { buildProgram, type Commands } from '../../cli/program.ts';
import { testFolder } from '../support/folder.ts';
import { importsUnder } from '../support/imports.ts';
import { run } from '../support/process.ts';
import { projectRoot, textOf } from '../support/project-files.ts';

const dockerfile = textOf('Dockerfile');

/** Folders that a stage copies from the build context. */
function copiedBy(text: string): string[] {
  const lines = text.matchAll(/^COPY (?:--chmod=\d+ )?(?!--)(.+) \S+$/gm);
  return [...lines].flatMap(([, sources = '']) => sources.split(' ').map((source) => source.replace(/^\.\//, '')));
}

/** Lines of a stage of the Dockerfile. */
function stageOf(name: string): string {
  const [, lines = ''] = new RegExp(`^FROM \\S+ AS ${name}\\n((?:(?!FROM ).*\\n)*)`, 'm').exec(dockerfile) ?? [];
  return lines;
}

test('the builder receives all that the Dockerfile copies, and nothing else', () => {
  const given = [...textOf('.dockerignore').matchAll(/^!(\S+)$/gm)].map(([, path = '']) => path);
  expect([...new Set(copiedBy(dockerfile))].toSorted()).toEqual(given.toSorted());
});

test('the image contains every folder that its roles import', () => {
  const copied = new Set(copiedBy(stageOf('image')));
  // Workflows are bundled and need no folder.
  const roles = [
    'container',
    'worker',
    'server',
    'cli',
    'client',
    'activities',
    'network',
    'stores',
    'process',
    'tracing',
    'codec',
    'contract',
  ];
  const imported = roles.flatMap((folder) => importsUnder(folder).filter(({ isType }) => !isType));
  const missing = imported.filter(({ to }) => !copied.has(to.split('/')[0] ?? ''));
  expect(missing.map(({ from, to }) => `${from}: ${to}`)).toEqual([]);
});

test('a build without a target makes the image without VMAF', () => {
  expect(dockerfile.trimEnd().split('\n').at(-1)).toBe('FROM image');
  expect(stageOf('image')).not.toMatch(/vmaf/i);
  expect(stageOf('vmaf')).toContain('VMAF_FFMPEG_PATH=/usr/local/bin/vmaf-ffmpeg');
});

test('the image keeps the npm packages that its roles need, and drops bundlers and optional packages', async () => {
  const folder = testFolder();
  const packages = {
    'node_modules/@temporalio/worker': { dependencies: { webpack: '5', rxjs: '7' }, peerDependencies: { zod: '4' } },
    'node_modules/@temporalio/worker/node_modules/rxjs': { dependencies: { tslib: '2' } },
    'node_modules/redis': {},
    'node_modules/rxjs': {},
    'node_modules/terser': {},
    'node_modules/tslib': {},
    'node_modules/webpack': { dependencies: { terser: '5' } },
    'node_modules/zod': {},
  };
  const files = {
    'package.json': { dependencies: { '@temporalio/worker': '1' }, optionalDependencies: { redis: '5' } },
    'node_modules/.package-lock.json': { packages },
    ...Object.fromEntries(Object.keys(packages).map((path) => [`${path}/package.json`, {}])),
  };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), JSON.stringify(content));
  }
  const script = join(projectRoot, 'scripts/image-packages.mjs');
  expect(await run(process.execPath, [script], { cwd: folder })).toMatchObject({ code: 0, output: '' });
  const left = await readdir(join(folder, 'node_modules'), { recursive: true });
  // The files of `memfs`, `unionfs` and `webpack` are empty packages in their places.
  expect(left.filter((path) => path.endsWith('package.json')).toSorted()).toEqual([
    '@temporalio/worker/node_modules/rxjs/package.json',
    '@temporalio/worker/package.json',
    'tslib/package.json',
    'zod/package.json',
  ]);
  expect(left).toEqual(expect.arrayContaining(['memfs/index.js', 'unionfs/index.js', 'webpack/index.js']));
});

test("the image's entry point knows every process and every command but `start`", () => {
  const cases = textOf('scripts/image-entrypoint.sh').matchAll(/^ {2}([\w |-]+)\)$/gm);
  const known = [...cases].flatMap(([, names = '']) => names.split(' | '));
  const commands = buildProgram({} as Commands, '').commands.map((command) => command.name());
  // `start` runs Temporal, which the image does not have.
  const offered = [...processCommands, ...commands.filter((name) => name !== 'start'), 'health'];
  expect(known.toSorted()).toEqual(offered.toSorted());
});
