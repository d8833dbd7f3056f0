import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleWorkflows } from '../worker/workflow-bundle.ts';

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

/**
 * Which room may import which, at run time and for types (`import type` of a room in brackets is allowed besides). The longest
 * name that a file's path begins with is its room.
 */
const mayImport: Record<string, { runTime: string[]; types?: string[] }> = {
  contract: { runTime: [] },
  container: { runTime: ['contract'] },
  workflows: { runTime: ['contract'], types: ['activities'] },
  activities: { runTime: ['contract'] },
  client: { runTime: ['contract'] },
  worker: { runTime: ['activities', 'contract'] },
  cli: { runTime: ['client', 'contract'] },
};

interface Import {
  from: string;
  to: string;
  isType: boolean;
}

async function importsIn(folder: string): Promise<Import[]> {
  const root = fileURLToPath(new URL(`../${folder}/`, import.meta.url));
  const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const found: Import[] = [];
  for (const file of files) {
    const text = await readFile(root + file, 'utf8');
    for (const [, type, path = ''] of text.matchAll(/^(?:import|export) (type )?[^;]*?from '(\.[^']+)'/gms)) {
      const to = new URL(path, `file:///${folder}/${file}`).pathname.slice(1);
      if (to !== 'package.json') found.push({ from: `${folder}/${file}`, to, isType: type !== undefined });
    }
    for (const [, path = ''] of text.matchAll(/import\('(\.[^']+)'\)/g)) {
      found.push({
        from: `${folder}/${file}`,
        to: new URL(path, `file:///${folder}/${file}`).pathname.slice(1),
        isType: false,
      });
    }
  }
  return found;
}

describe('the import law', () => {
  test.each(Object.entries(mayImport))('%s imports of ours only %j', async (folder, { runTime, types = [] }) => {
    for (const { from, to, isType } of await importsIn(folder)) {
      const target = to.split('/')[0] ?? '';
      const allowed = [folder, ...runTime, ...(isType ? types : [])];
      expect(allowed, `${from} imports ${to}`).toContain(target);
    }
  });
});
