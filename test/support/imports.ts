import { filesIn, textOf } from './project-files.ts';

/** From the project's root, as `to` is. */
export interface Import {
  from: string;
  to: string;
  isType: boolean;
}

/** What the files under this folder import of ours. */
export function importsUnder(folder: string): Import[] {
  const imports: Import[] = [];
  for (const from of filesIn(folder, ['.ts', '.tsx'])) {
    const text = textOf(from);
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
