import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { buildTranscript } from '../../../activities/transcript/transcript.ts';
import type { Transcript } from '../../../contract/transcript/transcript.ts';
import { alignTexts, plainWords } from '../../support/word-errors.ts';

interface Recorded {
  said: string;
  chunks: {
    index: number;
    start: number;
    duration: number;
    segments: [number, number, string][];
    words: [string, number, number][];
  }[];
}

/**
 * A talk of 569 s, spoken by eSpeak NG, and the local transcriber's words for chunks of 20 s that overlap by 2 s. The
 * transcriber errs in every seventh word.
 */
async function recorded(): Promise<Recorded> {
  const path = new URL('../../fixtures/talk-in-chunks.json', import.meta.url);
  return JSON.parse(await readFile(path, 'utf8')) as Recorded;
}

function transcriptOf({ chunks }: Recorded): Transcript {
  return buildTranscript(
    chunks.map(({ index, start, duration, segments, words }) => ({
      index,
      start,
      duration,
      segments: segments.map(([from, end, text]) => ({ start: from, end, text })),
      words: words.map(([word, from, end]) => ({ word, start: from, end })),
    })),
  ).transcript;
}

test('the 31 joins of a real talk lose and repeat no word', async () => {
  const talk = await recorded();
  const { segments } = transcriptOf(talk);
  const heard = segments.flatMap(({ text, chunk }) => plainWords(text).map((word) => ({ word, chunk })));
  const said = plainWords(talk.said);
  const { pairs } = alignTexts(
    said,
    heard.map(({ word }) => word),
  );
  const joins = heard.flatMap(({ chunk }, index) => (index > 0 && heard[index - 1]?.chunk !== chunk ? [index] : []));
  expect(joins).toHaveLength(31);
  for (const join of joins) {
    // Between the nearest words on both sides that the transcriber heard right are as many words as were said.
    const [saidFrom, from] = pairs.findLast(([, index]) => index < join) ?? [0, 0];
    const [saidTo, to] = pairs.find(([, index]) => index >= join) ?? [0, 0];
    const between = { said: said.slice(saidFrom, saidTo), heard: heard.slice(from, to).map(({ word }) => word) };
    // The transcriber writes "suit case" for "suitcase".
    const isSameText = between.said.join('') === between.heard.join('');
    if (!isSameText) expect(between.heard.length, between.heard.join(' ')).toBe(between.said.length);
  }
});
