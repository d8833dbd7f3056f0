import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { findClockParts } from '../../../../engine/source/transport-stream/clock-parts.ts';
import { moveClocks } from '../../../../engine/source/transport-stream/move-clocks.ts';
import { StreamBuilder, writeStream } from './transport-stream.ts';

const { signal } = new AbortController();
const path = join(tmpdir(), `holdfast-clock-parts-${randomUUID()}.ts`);
const target = `${path}-moved`;

afterEach(async () => {
  await rm(path, { force: true });
  await rm(target, { force: true });
});

const second = (from: number): Buffer => new StreamBuilder().addSecond(from).build();
const cutsOf = async (...parts: readonly Buffer[]): Promise<number[]> =>
  (await findClockParts(await writeStream(path, ...parts), signal)).slice(1).map(({ from }) => from);

/** Clocks count to here, then from zero. */
const wrapSeconds = 2 ** 33 / 90_000;

test.each<[string, number[], number[]]>([
  ['runs through', [0, 1, 2], []],
  ['pauses for three seconds', [0, 4], []],
  ['starts again', [1, 2, 1, 2, 1], [2, 4]],
  ['starts again a fifth of a second earlier', [1, 1.7], [1]],
  ['jumps by a minute', [1, 61], [1]],
  ['wraps', [wrapSeconds - 1, wrapSeconds, wrapSeconds + 1], []],
  ['wraps and then starts again', [wrapSeconds - 1, wrapSeconds, wrapSeconds - 1], [2]],
])('finds where a clock that %s begins a part', async (_, starts, expected) => {
  const parts = starts.map(second);
  expect(await cutsOf(...parts)).toEqual(expected.map((part) => part * (parts[0]?.length ?? 0)));
});

test('takes sound before the first picture of a recording for a part of it', async () => {
  const first = new StreamBuilder().addSecond(1).add({ stream: 257, kind: 0xc0, shown: 2 }).build();
  const late = new StreamBuilder().add({ stream: 257, kind: 0xc0, shown: 1 }).addSecond(1.1).build();
  expect(await cutsOf(first, late)).toEqual([first.length]);
});

test('does not take a damaged time for another clock', async () => {
  const damaged = new StreamBuilder().addSecond(1).add({ stream: 256, kind: 0xe0, shown: 5000 }).addSecond(2.1).build();
  expect(await cutsOf(damaged)).toEqual([]);
});

test.each([192, 204])('reads packets that are %i bytes apart, and goes on after damage', async (stride) => {
  const spread = (part: Buffer): Buffer =>
    Buffer.concat(
      Array.from({ length: part.length / 188 }, (_, index) => [
        part.subarray(index * 188, (index + 1) * 188),
        Buffer.alloc(stride - 188, 0x11),
      ]).flat(),
    );
  const first = spread(second(1));
  expect(await cutsOf(first, Buffer.alloc(77, 0x11), spread(second(1)))).toEqual([first.length + 77]);
});

test('moves all times and clock references of each part, and no other byte', async () => {
  const parts = [second(5), second(5)];
  const length = parts[0]?.length ?? 0;
  await writeStream(path, ...parts);
  const by = [-5 * 90_000, -4 * 90_000];
  await moveClocks(
    path,
    target,
    by.map((ticks, index) => ({ from: index * length, to: (index + 1) * length, by: ticks })),
    signal,
  );
  expect(await readFile(target)).toEqual(Buffer.concat([second(0), second(1)]));
});

test('moves times beyond the end of the clock to its start', async () => {
  await writeStream(path, second(wrapSeconds - 2));
  const [part] = await findClockParts(path, signal);
  await moveClocks(path, target, part === undefined ? [] : [{ ...part, by: 3 * 90_000 }], signal);
  expect(await readFile(target)).toEqual(second(1));
});
