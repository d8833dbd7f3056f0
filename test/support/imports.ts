import { filesIn, textOf } from './project-files.ts';

/** An import, with paths from the project's root. */
export interface Import {
  from: string;
  to: string;
  isType: boolean;
}

/** Imports of our files by the files under this folder. */
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
    // Imports for their effects, and imports at run time.
    for (const [, specifier = ''] of text.matchAll(/(?:^import |import\()'(\.[^']+)'/gm)) add(specifier, false);
  }
  return imports;
}

/** Cycles of a graph, such as `a → b → a`. */
export function cyclesOf(edges: readonly (readonly [from: string, to: string])[]): string[] {
  const next = Map.groupBy(edges, ([from]) => from);
  const cycles = new Map<string, string>();
  for (const start of next.keys()) {
    const open = [[start]];
    const seen = new Set<string>();
    for (let way = open.shift(); way !== undefined; way = open.shift()) {
      const targets = (next.get(way.at(-1) ?? '') ?? []).map(([, to]) => to);
      if (targets.includes(start)) {
        // Each node of a cycle finds the same cycle.
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
