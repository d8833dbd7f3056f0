import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleWorkflows } from '../worker/workflow-bundle.ts';
import { cyclesOf, importsUnder } from './support/imports.ts';
import { filesIn, projectRoot, textOf } from './support/project-files.ts';

// The linter forbids these imports file by file; this looks at what really ends up in the sandbox.

let modules: string[];
let code: string;

beforeAll(async () => {
  code = await bundleWorkflows();
  modules = [...code.matchAll(/^\/\*\*\*\/ "(\.\/[^"]+)"/gm)].map((match) => match[1] ?? '');
});

describe('the workflow bundle', () => {
  test('holds our workflows', () => {
    expect(modules).toContain('./workflows/run/run-step.ts');
    expect(modules).toContain('./workflows/run/retry-decision.ts');
  });

  test('holds nothing of ours but workflows and contract', () => {
    const own = modules.filter((name) => !name.startsWith('./node_modules/') && !name.startsWith('./workflows/'));
    expect(own.filter((name) => !name.startsWith('./contract/'))).toEqual([]);
  });

  test('holds no libraries but Temporal’s own', () => {
    const libraries = modules
      .filter((name) => name.startsWith('./node_modules/'))
      .map((name) => /^\.\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1] ?? '');
    const foreign = new Set(libraries.filter((name) => !name.startsWith('@temporalio/')));
    expect([...foreign].sort()).toEqual(['long', 'nexus-rpc']);
  });

  test('asks for no module of Node', () => {
    expect(code).not.toMatch(/require\(["']node:/);
  });
});

/** Which folder may import which, at run time and for types besides. */
const mayImport: Record<string, { runTime: string[]; types?: string[] }> = {
  contract: { runTime: [] },
  tracing: { runTime: ['contract'] },
  engine: { runTime: ['contract', 'tracing'] },
  container: { runTime: ['engine', 'contract', 'network', 'process', 'tracing'] },
  workflows: { runTime: ['contract'], types: ['activities'] },
  activities: { runTime: ['contract', 'network', 'process', 'stores', 'tracing'] },
  codec: { runTime: ['network', 'process'] },
  network: { runTime: [] },
  process: { runTime: ['contract', 'network', 'tracing'] },
  stores: { runTime: ['contract', 'network'] },
  client: { runTime: ['contract'] },
  worker: { runTime: ['activities', 'codec', 'contract', 'network', 'process', 'stores', 'tracing'] },
  server: { runTime: ['client', 'codec', 'contract', 'network', 'process', 'stores', 'tracing'] },
  cli: { runTime: ['client', 'codec', 'contract', 'engine', 'network', 'process', 'stores'] },
  'api-client': { runTime: [], types: ['contract'] },
  page: { runTime: ['api-client', 'contract'] },
};

describe('the import law', () => {
  test.each(Object.entries(mayImport))('%s imports of ours only %j', (folder, { runTime, types = [] }) => {
    for (const { from, to, isType } of importsUnder(folder)) {
      const target = to.split('/')[0] ?? '';
      const allowed = [folder, ...runTime, ...(isType ? types : [])];
      expect(allowed, `${from} imports ${to}`).toContain(target);
    }
  });
});

/** A file beside the rooms, such as `container/config.ts`, is a room of its own. */
function roomOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

/** Folders with rooms that point at each other by types alone. The list falls to none. */
const withTypeCycles = new Set(['workflows', 'server', 'page']);

// The linter finds cycles between files (import/no-cycle).
describe('the import direction', () => {
  test.each(['container', 'engine', 'workflows', 'activities', 'client', 'server', 'cli', 'page'])(
    'the rooms of %s import one another in one direction only',
    (folder) => {
      const inside = importsUnder(folder).filter(
        ({ to, isType }) => to.startsWith(`${folder}/`) && !(isType && withTypeCycles.has(folder)),
      );
      const ways = inside.map(({ from, to }) => [roomOf(from), roomOf(to)] as const);
      expect(cyclesOf(ways.filter(([from, to]) => from !== to))).toEqual([]);
    },
  );
});

const sourceFolders = [...Object.keys(mayImport), 'bench', 'deploy', 'examples', 'scripts', 'transcriber'];
/** What no folder of the sources has: parts together, what misbehaves, and what starts parts. */
const ownTestFolders = [
  'stores/conformance',
  'chaos',
  'cluster',
  'spread',
  'soak',
  'gates',
  'end-to-end',
  'examples',
  'media',
  'fixtures',
  'support',
  'tenants',
].map((name) => `test/${name}`);

describe('the house', () => {
  test('has each test in the folder that its subject has among the sources', () => {
    const tests = filesIn('test', ['.test.ts']);
    const astray = tests.filter((path) => {
      const folder = dirname(path);
      if (folder === 'test' || ownTestFolders.some((own) => `${folder}/`.startsWith(`${own}/`))) return false;
      const mirrored = folder.slice('test/'.length);
      const [source = '', ...rest] = mirrored.split('/');
      if (!sourceFolders.includes(source)) return true;
      // Tests of one large folder may be divided by a folder of their own.
      return ![mirrored, rest.length > 1 ? dirname(mirrored) : mirrored].some((mirror) =>
        existsSync(projectRoot + mirror),
      );
    });
    expect(astray).toEqual([]);
  });

  test('has no source file of more than 300 lines', () => {
    const long: string[] = [];
    for (const path of sourceFolders.flatMap((folder) => filesIn(folder, ['.ts', '.tsx', '.mjs']))) {
      const lines = textOf(path).trimEnd().split('\n').length;
      if (lines > 300) long.push(`${path}: ${lines}`);
    }
    expect(long).toEqual([]);
  });

  test('leaves no note of work that is not done', () => {
    const marks = new RegExp(`\\b(?:${['TODO', 'FIXME', 'XXX'].join('|')})\\b`);
    const unfinished: string[] = [];
    for (const path of [...sourceFolders, 'test'].flatMap((folder) => filesIn(folder, ['.ts', '.mjs', '.sh']))) {
      if (path !== 'test/architecture.test.ts' && marks.test(textOf(path))) unfinished.push(path);
    }
    expect(unfinished).toEqual([]);
  });

  test('names each of its folders in ARCHITECTURE.md', async () => {
    const root = await readdir(fileURLToPath(new URL('..', import.meta.url)), { withFileTypes: true });
    const folders = root.filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name));
    const text = textOf('ARCHITECTURE.md');
    expect(folders.map(({ name }) => name).filter((name) => !text.includes(`\`${name}/\``))).toEqual([]);
  });
});
