import { cpus } from 'node:os';
import pMap from 'p-map';
import { Fuzz, keepCase, makeCase } from './fuzz.ts';

// npm run check:fuzz -- [count] [seed] [first]: mutated sources through a container for each core. A file at fault is kept, and
// `check:fuzz -- 1 <seed> <its number>` repeats it.

/** How many cases before a container is looked over. */
const casesBetweenLooks = 25;

const [count = 2000, seed = 1, first = 0] = process.argv.slice(2).map(Number);

const faults: string[] = [];
const outcomes = new Map<string, number>();
let done = 0;

const fuzzes = await Promise.all(cpus().map(() => Fuzz.start()));

async function runCases(fuzz: Fuzz, indexes: Iterator<number>): Promise<void> {
  for (let tried = 1, next = indexes.next(); next.done !== true; tried += 1, next = indexes.next()) {
    const testCase = await makeCase(seed, next.value);
    const { outcome, fault } = await fuzz.try(testCase);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const leftovers = fault !== undefined || tried % casesBetweenLooks === 0 ? await fuzz.findLeftovers() : [];
    for (const what of [fault, ...leftovers]) {
      if (what === undefined) continue;
      faults.push(`${testCase.index} (${testCase.what}): ${what}; kept as ${await keepCase(testCase, seed)}`);
      console.log(faults.at(-1));
    }
    done += 1;
    if (done % 100 === 0) console.log(`${done} of ${count}`);
  }
}

const indexes = Array.from({ length: count }, (_, index) => first + index).values();
try {
  await pMap(fuzzes, async (fuzz) => await runCases(fuzz, indexes), { stopOnError: true });
  for (const fuzz of fuzzes) faults.push(...(await fuzz.findLeftovers()));
} finally {
  await Promise.all(fuzzes.map((fuzz) => fuzz.stop()));
}
console.log(`${done} files of seed ${seed}: ${[...outcomes].map(([name, times]) => `${name} ${times}`).join(', ')}`);
console.log(`${faults.length} faults`);
if (faults.length > 0) process.exitCode = 1;
