import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundledWorkflows } from '../worker/workflow-bundle.ts';

// The linter forbids these imports file by file; this looks at what really ends up in the sandbox.

let modules: string[];
let code: string;

beforeAll(async () => {
  code = await bundledWorkflows();
  modules = [...code.matchAll(/^\/\*\*\*\/ "(\.\/[^"]+)"/gm)].map((match) => match[1] ?? '');
});

describe('the workflow bundle', () => {
  test('holds our workflows', () => {
    expect(modules).toContain('./workflows/attempts.ts');
    expect(modules).toContain('./workflows/policy/next-step.ts');
  });

  test('holds nothing of ours but workflows and the names', () => {
    const own = modules.filter((name) => !name.startsWith('./node_modules/') && !name.startsWith('./workflows/'));
    expect(own).toEqual(['./contract/names.ts']);
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

/** Run-time imports of each folder's files, as far as the folders are concerned. */
const mayImport: Record<string, string[]> = {
  contract: [],
  workflows: ['contract'],
  activities: ['contract'],
  worker: ['activities', 'contract'],
  container: ['contract'],
};

describe('the import law', () => {
  test.each(Object.entries(mayImport))('%s imports of ours only %j', async (folder, allowed) => {
    const root = fileURLToPath(new URL(`../${folder}/`, import.meta.url));
    const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.ts'));
    for (const file of files) {
      const text = await readFile(root + file, 'utf8');
      for (const [, path = ''] of text.matchAll(/^import (?!type )[^;]*?from '(\.[^']+)'/gms)) {
        if (path.endsWith('/package.json')) continue;
        const target = new URL(path, `file:///${folder}/${file}`).pathname.split('/')[1] ?? '';
        expect([folder, ...allowed], `${folder}/${file} imports ${path}`).toContain(target);
      }
    }
  });
});
