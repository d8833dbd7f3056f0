import { expect, test } from 'vitest';
import { type Joiner, type Seam, segmentJoiner } from '../../../../../engine/sound/segmented/join/join-segments.ts';

/** Path of a file whose frames are letters. */
interface Letters {
  text: string;
  close(): Promise<void>;
}

const segments = [
  { path: 'abcdefg', cut: 0, runIn: 0 },
  { path: 'defghijkl', cut: 5, runIn: 2 },
  { path: 'ijklmn', cut: 10, runIn: 2 },
];

/** Joins `segments` with each seam at `seamAt`, in frames after the cut. */
async function joinLetters(seamAt: (cut: number) => number | undefined) {
  const open: string[] = [];
  const written: string[] = [];
  const joiner: Joiner<Letters, Seam> = {
    open(path) {
      open.push(path);
      return Promise.resolve({
        text: path,
        async close() {
          open.splice(open.indexOf(path), 1);
          await Promise.resolve();
        },
      });
    },
    countFrames: ({ text }) => text.length,
    findSeam(_earlier, earlierCut, _later, laterCut) {
      const past = seamAt(laterCut);
      if (past === undefined) return Promise.resolve(undefined);
      return Promise.resolve({ earlier: earlierCut + past, later: laterCut + past, isExact: past === 0 });
    },
    seamCondition: 'that fits',
    async write(parts, outputPath) {
      written.push(outputPath, ...parts.map(({ reader, from, to }) => reader.text.slice(from, to)));
      await Promise.resolve();
    },
  };
  try {
    return { result: await segmentJoiner(joiner)(segments, 'output'), written };
  } finally {
    expect(open).toEqual([]);
  }
}

test('each segment contributes its frames between its seams, and seams are counted', async () => {
  let seams = 0;
  const { result, written } = await joinLetters(() => seams++);
  expect(written).toEqual(['output', 'abcde', 'fghijk', 'lmn']);
  expect(result).toEqual({ frames: 14, seams: { exact: 1, matched: 1 }, seamFrames: [5, 11] });
});

test('nothing is joined without a seam, and the reason names the seam and the condition', async () => {
  let seams = 0;
  await expect(joinLetters(() => (seams++ === 0 ? 0 : undefined))).rejects.toThrow('no place at seam 2 that fits');
});

test('seams that leave a segment without frames are rejected', async () => {
  let seams = 0;
  await expect(joinLetters(() => (seams++ === 0 ? 5 : 0))).rejects.toThrow('no frame between its seams');
});
