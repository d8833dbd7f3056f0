import { cpus } from 'node:os';
import pMap from 'p-map';
import { TestContainer } from '../support/container.ts';
import { checkKind, type KindResult } from './check-kind.ts';
import type { Kind } from './kind.ts';
import { kinds } from './kinds.ts';
import { writeTable } from './table.ts';
import type { Verdict } from './verdict.ts';

// `npm run check:media [-- <part of a name> …]` checks all kinds, or those named, with one container per core.
// Results without faults go into docs/media.md.

function show(operation: string, { faults, found }: Verdict): string {
  return faults.length === 0 ? `${operation}: ${found}` : `${operation}: FAULT ${faults.join('; ')}`;
}

async function checkAll(chosen: readonly Kind[]): Promise<KindResult[]> {
  const containers = await Promise.all(cpus().map(() => TestContainer.start()));
  try {
    const free = [...containers];
    const check = async (kind: Kind): Promise<KindResult> => {
      const container = free.pop();
      if (container === undefined) throw new Error('more checks at a time than containers');
      try {
        const result = await checkKind(kind, container).catch((error: unknown): KindResult => {
          const verdict = { faults: [String(error)], found: 'not checked' };
          return { kind, encode: verdict, chunk: verdict };
        });
        console.log(`${kind.name} | ${show('encode', result.encode)} | ${show('chunks', result.chunk)}`);
        return result;
      } finally {
        free.push(container);
      }
    };
    return await pMap(chosen, check, { concurrency: containers.length });
  } finally {
    await Promise.all(containers.map((container) => container.stop()));
  }
}

const parts = process.argv.slice(2);
const chosen = kinds.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)));
const results = await checkAll(chosen);
const faulty = results.filter(({ encode, chunk }) => encode.faults.length + chunk.faults.length > 0);
console.log(`${results.length} kinds, ${faulty.length} of them at fault`);
for (const { kind } of faulty) console.log(`  ${kind.name}`);
if (faulty.length > 0) process.exitCode = 1;
await writeTable(
  kinds,
  results.filter((result) => !faulty.includes(result)),
);
