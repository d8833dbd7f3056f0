import { MockActivityEnvironment } from '@temporalio/testing';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { assembleActivity } from '../../../activities/provider/assemble.ts';
import { Storage } from '../../../activities/storage/storage.ts';
import type { AssembleRequest } from '../../../contract/provider-call.ts';
import { transcriptNames } from '../../../contract/written-names.ts';
import { fakeStores } from '../../support/fake-stores.ts';
import { testFolder } from '../../support/folder.ts';

let folder: string;

beforeEach(() => void (folder = testFolder()));

const outcome = { status: 'completed', attempts: 1, provider: 'test/one' } as const;

/** A list of one chunk. */
function listOf(setId: string) {
  const chunk = { index: 0, start: 0, duration: 2, size: 4, sha256: 'a', file: 'chunk-00000.ogg' };
  const about = { setId, chunkDuration: 60, overlapDuration: 2 };
  return { version: 1 as const, about, totalChunks: 1, totalDuration: 2, chunks: [chunk] };
}

async function store(name: string, content: object): Promise<void> {
  await writeFile(join(folder, name), JSON.stringify(content));
}

/** Assembles the transcript of the run with the cut `own`. */
async function assemble(
  files: { list: string; answer: string },
  request: Partial<AssembleRequest> = {},
  answer: object = {},
) {
  const segments = [{ start: 0, end: 1, text: 'hello' }];
  const heard = { provider: 'test/one', text: 'hello', segments, answer: {}, setId: files.answer, ...answer };
  await store('chunks.json', listOf(files.list));
  await store('chunk-00000.json', heard);
  const assembleTranscript = assembleActivity({ storage: new Storage(fakeStores({}, folder)) });
  return await new MockActivityEnvironment().run(assembleTranscript, {
    uploadUrlPrefix: `${pathToFileURL(folder).href}/`,
    setId: 'own',
    outcomes: [{ item: outcome, indexes: '0' }],
    ...request,
  });
}

test.each([
  ['of a list in the history', { list: listOf('own') }],
  ['of a list in the store', {}],
])('assembles the transcript %s', async (_where, request) => {
  expect(await assemble({ list: 'own', answer: 'own' }, request)).toHaveProperty('json');
  expect(await readFile(join(folder, 'transcript.txt'), 'utf8')).toContain('hello');
});

test('keeps the facts of the same chunks if the run resumed the result of another one', async () => {
  const { about, ...facts } = listOf('own');
  // It does not know how long the source is.
  const list = { ...facts, totalDuration: 0 };
  await assemble({ list: 'own', answer: 'own' }, { list });
  expect(JSON.parse(await readFile(join(folder, 'chunks.json'), 'utf8'))).toMatchObject({ about, totalDuration: 2 });
  const [chunk] = list.chunks;
  const others = { ...list, chunks: [{ ...chunk, sha256: 'b' }] } as typeof list;
  await assemble({ list: 'own', answer: 'own' }, { list: others });
  expect(JSON.parse(await readFile(join(folder, 'chunks.json'), 'utf8'))).not.toHaveProperty('about');
});

test('names the speakers in every format if the answers have voices', async () => {
  const vector = (first: number) => [first, 1 - first];
  const voices = [
    { start: 0, end: 4, vector: vector(1) },
    { start: 4, end: 8, vector: vector(0) },
  ];
  const segments = [{ start: 0, end: 8, text: 'Hello there. Hi.' }];
  const words = [
    { word: 'Hello', start: 0, end: 1 },
    { word: 'there', start: 1, end: 2 },
    { word: 'Hi', start: 5, end: 6 },
  ];
  const answer = { text: 'Hello there. Hi.', segments, words, answer: { voices }, setId: 'own', provider: 'test/one' };
  await assemble({ list: 'own', answer: 'own' }, { speakers: true }, answer);
  const read = async (name: string) => await readFile(join(folder, name), 'utf8');
  expect(await read('transcript.txt')).toBe('S1: Hello there.\n\nS2: Hi.\n');
  expect(await read('transcript.vtt')).toContain('<v S2>Hi.');
  expect(await read('transcript.srt')).toContain('S2: Hi.');
  expect(await read('transcript.ttml')).toMatch(
    /<ttm:agent xml:id="speaker-2"[^]*>S2<[^]*<p [^>]* ttm:agent="speaker-2">/,
  );
  const turn = (id: number, speaker: string, text: string) => expect.objectContaining({ id, speaker, text }) as object;
  const turns = [turn(0, 'S1', 'Hello there.'), turn(1, 'S2', 'Hi.')];
  expect(JSON.parse(await read('transcript.json'))).toMatchObject({ segments: turns });
  expect(JSON.parse(await read('transcript.verbose.json'))).toMatchObject({
    segments: turns,
    words: ['S1', 'S1', 'S2'].map((speaker) => expect.objectContaining({ speaker }) as object),
  });
  const podcastSegment = (speaker: string, body: string) => expect.objectContaining({ speaker, body }) as object;
  expect(JSON.parse(await read('transcript.podcast.json'))).toMatchObject({
    version: '1.0.0',
    segments: [podcastSegment('S1', 'Hello there.'), podcastSegment('S2', 'Hi.')],
  });
  // The same answer without the wish.
  await assemble({ list: 'own', answer: 'own' }, {}, answer);
  for (const name of Object.values(transcriptNames)) expect(await read(name)).not.toMatch(/S1|speaker/);
});

test.each([
  ['not translated in a run that translates', {}, { translate: true } as const, 'is not translated, but this run'],
  ['translated in a run that does not translate', { translated: true }, {}, 'is translated, but this run does not'],
])('fails if a chunk is %s', async (_what, answer, request, sentence) => {
  await expect(assemble({ list: 'own', answer: 'own' }, request, answer)).rejects.toMatchObject({
    type: 'TranscriptNotStored',
    nonRetryable: true,
    message: expect.stringContaining(`chunk-00000.json ${sentence}`) as string,
  });
  await expect(readFile(join(folder, 'transcript.txt'))).rejects.toThrow('ENOENT');
});

test.each([
  ['chunks', 'of a list in the history', { list: 'other', answer: 'own' }, { list: listOf('own') }, 'chunks.json'],
  ['chunks', 'of a list in the store', { list: 'other', answer: 'own' }, {}, 'chunks.json'],
  [
    'answers',
    'of a list in the history',
    { list: 'own', answer: 'other' },
    { list: listOf('own') },
    'chunk-00000.json',
  ],
])('fails if another run has replaced the %s %s', async (_what, _where, files, request, name) => {
  await expect(assemble(files, request)).rejects.toMatchObject({
    type: 'TranscriptNotStored',
    nonRetryable: true,
    message: expect.stringContaining(`${name} belongs to another run, which uses the same prefix`) as string,
  });
  await expect(readFile(join(folder, 'transcript.txt'))).rejects.toThrow('ENOENT');
});
