import { cpus } from 'node:os';
import pMap from 'p-map';
import { attackDecoder, kindOfDecoder } from './film-attack.ts';
import { Fuzz, keepCase, makeCase } from './fuzz.ts';

// `npm run check:fuzz -- [count] [seed] [first]` sends mutated sources through one container per core.
// It keeps faulty files, and `check:fuzz -- 1 <seed> <number>` repeats one.
// `check:fuzz -- films [rounds] [seed]` damages a film of every decoder.

/** Cases between two checks of a container. */
const casesBetweenLooks = 25;

const [what, ...rest] = process.argv.slice(2);
await (what === 'films' ? checkFilms(...rest.map(Number)) : checkSounds(...process.argv.slice(2).map(Number)));

async function checkFilms(rounds = 5, seed = 1): Promise<void> {
  const fuzz = await Fuzz.start();
  const faults: string[] = [];
  const outcomes = new Map<string, number>();
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, decoder] of Object.keys(kindOfDecoder).entries()) {
        const { outcome, fault } = await attackDecoder(fuzz, decoder, seed * 1_000_003 + round * 1000 + index);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        for (const what of [fault, ...(await fuzz.findLeftovers())]) {
          if (what !== undefined) console.log(faults[faults.push(what) - 1]);
        }
      }
    }
  } finally {
    await fuzz.stop();
  }
  report(outcomes, faults);
}

function report(outcomes: ReadonlyMap<string, number>, faults: readonly string[]): void {
  console.log([...outcomes].map(([name, times]) => `${name} ${times}`).join(', '));
  console.log(`${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}

async function checkSounds(count = 2000, seed = 1, first = 0): Promise<void> {
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
  console.log(`${done} files of seed ${seed}`);
  report(outcomes, faults);
}
