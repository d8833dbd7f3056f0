import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const projectRoot = new URL('../../', import.meta.url);

/** From the project's root, as `to` is. */
export interface Import {
  from: string;
  to: string;
  isType: boolean;
}

/** Paths from the project's root of all files under this folder with one of these endings; none where there is no such folder. */
export async function filesUnder(folder: string, endings: readonly string[] = ['.ts']): Promise<string[]> {
  const names = await readdir(fileURLToPath(new URL(folder, projectRoot)), { recursive: true }).catch(() => []);
  return names.filter((name) => endings.some((ending) => name.endsWith(ending))).map((name) => `${folder}/${name}`);
}

export async function textOf(path: string): Promise<string> {
  return await readFile(new URL(path, projectRoot), 'utf8');
}

/** What the files under this folder import of ours. */
export async function importsUnder(folder: string): Promise<Import[]> {
  const imports: Import[] = [];
  for (const from of await filesUnder(folder)) {
    const text = await textOf(from);
    const add = (specifier: string, isType: boolean): void => {
      const to = new URL(specifier, `file:///${from}`).pathname.slice(1);
      if (to !== 'package.json') imports.push({ from, to, isType });
    };
    for (const [, type, specifier = ''] of text.matchAll(/^(?:import|export) (type )?[^;]*?from '(\.[^']+)'/gms)) {
      add(specifier, type !== undefined);
    }
    for (const [, specifier = ''] of text.matchAll(/import\('(\.[^']+)'\)/g)) add(specifier, false);
  }
  return imports;
}

/** Nodes that reach themselves, each with one way round, such as `a → b → a`. */
export function cyclesOf(edges: readonly (readonly [from: string, to: string])[]): string[] {
  const next = Map.groupBy(edges, ([from]) => from);
  const cycles = new Map<string, string>();
  for (const start of next.keys()) {
    const open = [[start]];
    const seen = new Set<string>();
    for (let way = open.shift(); way !== undefined; way = open.shift()) {
      const targets = (next.get(way.at(-1) ?? '') ?? []).map(([, to]) => to);
      if (targets.includes(start)) {
        // The same cycle is found from each of its nodes.
        cycles.set([...way].sort().join(), [...way, start].join(' → '));
        break;
      }
      for (const target of targets.filter((node) => !seen.has(node))) {
        seen.add(target);
        open.push([...way, target]);
      }
    }
  }
  return [...cycles.values()];
}
