import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { processCommands } from '../../cli/completion-command.ts';
import { buildProgram, type Commands } from '../../cli/program.ts';
import { containerNodeFlags } from '../../contract/defaults.ts';
import { roleOf } from '../deploy/processes.ts';
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

test('the image names the folders and the bundle that it has, in its environment', () => {
  const image = stageOf('image');
  const [settings = ''] = /^ENV NODE_ENV=(?:.*\\\n)*.*$/m.exec(image) ?? [];
  const environment = Object.fromEntries(
    [...settings.matchAll(/(\w+)=(\/\S+)/g)].map(([, name = '', path = '']) => [name, path]),
  );
  expect(environment).toEqual({ SCRATCH_DIR: '/scratch', WORKFLOW_BUNDLE: '/app/bundle/workflows.js' });
  expect(image).toContain(`\nVOLUME ${environment['SCRATCH_DIR']}\n`);
  expect(image).toContain('\nCOPY --from=bundle /app/bundle ./bundle\n');
  expect(stageOf('bundle')).toContain(`RUN node worker/bundle.ts ${environment['WORKFLOW_BUNDLE']}\n`);
});

test.each(['image', 'vmaf', 'transcriber'])('the stage %s ends as a user without rights, behind tini', (name) => {
  const users = [...stageOf(name).matchAll(/^USER (\S+)$/gm)].map(([, user]) => user);
  expect(users.at(-1)).toBe('1000:1000');
  // The variant has the entry point of the image.
  const [, entry = ''] = /^ENTRYPOINT (.+)$/m.exec(stageOf(name === 'vmaf' ? 'image' : name)) ?? [];
  expect((JSON.parse(entry) as string[]).slice(0, 2)).toEqual(['/usr/bin/tini', '--']);
});

test.each(['debian', 'transcriber-system'])('no program of the stage %s can change its user', (name) => {
  expect(stageOf(name)).toContain('find / -xdev -type f -perm /6000 -exec chmod a-s {} +');
});

test.each(['image', 'transcriber'])('the stage %s has a check of its health', (name) => {
  expect(stageOf(name)).toMatch(/^HEALTHCHECK (?:--\S+ )+(?:\\\n *)?CMD \[/m);
});

test('the transcriber’s image has all of its modules', () => {
  expect(copiedBy(stageOf('transcriber-system'))).toContain('transcriber/*.py');
});

test('each build installs the packages of its lock, without their scripts', () => {
  const installed = [...dockerfile.matchAll(/^.*\bnpm (?:ci|i|install|add)\b.*$/gm)].map(([line]) => line.trim());
  expect(installed).toEqual(['npm ci --omit=dev --ignore-scripts', 'npm ci --ignore-scripts']);
  for (const [line] of dockerfile.matchAll(/^.*pip3 install.*$/gm)) expect(line).toContain('--require-hashes');
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

test("the image's entry point starts containers with their flags of Node, and asks each role at its own settings", () => {
  const entry = textOf('scripts/image-entrypoint.sh');
  expect(entry).toContain(`exec node ${containerNodeFlags.join(' ')} /app/container/main.ts\n`);
  const settings = `${textOf('docs/reference/settings.md')}${textOf('docs/server.md')}`;
  const read = [...entry.matchAll(/\$\{([A-Z_]+):-(\S*?)\}/g)];
  expect(read.length).toBeGreaterThan(4);
  for (const [, name = '', byDefault = ''] of read) {
    const [, told] = new RegExp(`\\n\\| \`${name}\` +\\| \`?(\\S+?)\`? `).exec(settings) ?? [];
    // Without a default, the variable may be unset, or the image sets it.
    expect({ name, told }).toEqual({ name, told: byDefault === '' ? expect.any(String) : byDefault });
  }
});

test('the health check of the image asks each role at a path that the role answers', () => {
  const asked = [...textOf('scripts/image-entrypoint.sh').matchAll(/^ {6}(\w+)\) port=\S+ path=(\S+) host=/gm)];
  expect(asked.map(([, role]) => role)).toEqual(['worker', 'server', 'container']);
  for (const [, role = '', path = ''] of asked)
    expect([role, [...(roleOf({ image: 'holdfast:local', args: [role] })?.paths ?? [])]]).toEqual([
      role,
      expect.arrayContaining([path]),
    ]);
});

test("each process replaces the image's entry point, which would not pass on SIGTERM", () => {
  const starts = textOf('scripts/image-entrypoint.sh').match(/^.*\bnode .*$/gm) ?? [];
  expect(starts.length).toBeGreaterThan(4);
  expect(starts.filter((line) => !line.startsWith('    exec node '))).toEqual([]);
});

test("the image's entry point knows every process and every command but `start`", () => {
  const cases = textOf('scripts/image-entrypoint.sh').matchAll(/^ {2}([\w |-]+)\)$/gm);
  const known = [...cases].flatMap(([, names = '']) => names.split(' | '));
  const commands = buildProgram({} as Commands, '').commands.map((command) => command.name());
  // `start` runs Temporal, which the image does not have.
  const offered = [...processCommands, ...commands.filter((name) => name !== 'start'), 'health'];
  expect(known.toSorted()).toEqual(offered.toSorted());
});

test.each([['--help'], ['-V'], ['help', 'encode']])(
  "the image's entry point passes %s to the command line",
  async (...args) => {
    const folder = testFolder();
    await writeFile(join(folder, 'node'), '#!/bin/sh\necho node "$@"\n', { mode: 0o755 });
    const entry = join(projectRoot, 'scripts/image-entrypoint.sh');
    const environment = { PATH: `${folder}${delimiter}${process.env['PATH']}` };
    const { output } = await run('sh', [entry, ...args], { environment });
    expect(output.trim()).toBe(`node /app/cli/main.ts ${args.join(' ')}`);
  },
);
