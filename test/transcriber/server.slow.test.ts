import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAnswer, voicesOf } from '../../activities/provider/answer.ts';
import { buildTranscript } from '../../activities/transcript/transcript.ts';
import { makeMedia } from '../support/media-files.ts';
import { musicOgg, probeAudio, speechWav } from '../support/media.ts';
import { matrixTest } from '../support/rows.ts';
import { type HeardWord, speak, Transcriber } from '../support/transcriber.ts';
import { alignTexts, plainWords } from '../support/word-errors.ts';
import { useFolder } from '../support/folder.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';
import { run } from '../support/process.ts';
import { projectRoot } from '../support/project-files.ts';
import { toolPath } from '../support/tools.ts';

const folder = useFolder();
const transcriber = await stopAfterAll(Transcriber.start());

describe('the API', () => {
  test('answers to health checks and lists its models before a model is loaded', async () => {
    expect(await (await fetch(`${transcriber.url}/health`)).json()).toEqual({ status: 'healthy' });
    expect(await (await fetch(`${transcriber.url}/v1/models`)).json()).toMatchObject({ data: [{ id: 'tiny.en' }] });
  });

  test('has as many threads as the quota of its container allows, and at most one for each core', async () => {
    const quota = join(folder, 'cpu.max');
    const program = `import pathlib, sys; sys.path.insert(0, "transcriber"); import server
server.QUOTA_FILE = pathlib.Path(sys.argv[1])
for text in sys.argv[2:]:
    server.QUOTA_FILE.write_text(text)
    print(server.available_cores())`;
    const texts = ['max 100000', '50000 100000', '100000 100000', '100000000 100000'];
    const python = await toolPath('TRANSCRIBER_PYTHON');
    const { output } = await run(python, ['-B', '-c', program, quota, ...texts], { cwd: projectRoot });
    const [all = 0, ...limited] = output.split('\n').map(Number);
    expect(limited).toEqual([1, 1, all]);
    // Node counts fewer if a quota limits this test itself.
    expect(all).toBeGreaterThanOrEqual(availableParallelism());
    expect(all).toBeLessThanOrEqual(cpus().length);
  });

  test.each([
    ['no file', undefined, { model: 'tiny.en' }, 400, 'The field file is missing or empty.'],
    ['an unknown model', speechWav, { model: '../etc' }, 404, 'There is no model ../etc here. The models are tiny.en.'],
    [
      'another format',
      speechWav,
      { response_format: 'srt' },
      400,
      'response_format must be one of json, text, verbose_json.',
    ],
    [
      'a language that is none',
      speechWav,
      { language: '$(id)' },
      400,
      'language must be a code of ISO 639-1, such as en.',
    ],
    ['an unknown part', speechWav, { 'include[]': 'faces' }, 400, 'include must be of voices.'],
    ['a temperature above 1', speechWav, { temperature: '7' }, 400, 'temperature must be a number from 0 to 1.'],
    ['a file that is no audio', 'text', {}, 400, 'The file is not audio that can be decoded.'],
  ])('refuses %s with a sentence, without a path or a stack trace', async (_, file, fields, status, message) => {
    const notes = join(folder, 'notes.wav');
    await writeFile(notes, 'no audio');
    const answer = await transcriber.post(file === 'text' ? notes : file, fields);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { message, type: 'invalid_request_error' } });
  });

  test('refuses to translate by a model that knows English only', async () => {
    const answer = await transcriber.post(speechWav, {}, { endpoint: 'translations' });
    expect(answer.status).toBe(400);
    const error = { message: 'The model tiny.en knows English only, and cannot translate.', code: 'cannot_translate' };
    expect(await answer.json()).toMatchObject({ error });
  });

  test('refuses a body above the limit before it is read', async () => {
    const headers = { 'content-length': `${26 * 1024 * 1024}`, 'content-type': 'multipart/form-data; boundary=b' };
    const request = httpRequest(`${transcriber.url}/v1/audio/transcriptions`, { method: 'POST', headers });
    request.flushHeaders();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    request.destroy();
    expect(response.statusCode).toBe(413);
  });

  test('answers two requests at a time one after the other, and the same file with the same words', async () => {
    const [one, other] = await Promise.all([transcriber.words(speechWav), transcriber.words(speechWav)]);
    expect(one).toEqual(other);
    expect(plainWords(one.map(({ word }) => word).join(' '))).toContain('internet');
  });

  test.each([
    ['silence', ['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono:d=8']],
    ['noise', ['-f', 'lavfi', '-i', 'anoisesrc=c=pink:d=8:a=0.3:seed=1']],
    ['applause', ['-f', 'lavfi', '-i', "aevalsrc='(random(0)-0.5)*pow(random(1),30)':s=16000:d=8"]],
    ['music', ['-i', musicOgg, '-ac', '1', '-ar', '16000']],
  ])('has no words for %s, for which the model invents some', async (name, source) => {
    const path = await makeMedia(folder, `${name}.wav`, ...source);
    const answer = (await (await transcriber.post(path, { response_format: 'verbose_json' })).json()) as object;
    expect(answer).toMatchObject({ text: '', segments: [], windows: [], dropped: [] });
    expect(answer).not.toHaveProperty('language');
  });

  matrixTest('hears unclear speech at two further temperatures at most', async () => {
    const filter = 'aresample=16000,atrim=3:6,asetpts=N/SR/TB,aloop=loop=4:size=48000';
    const path = await makeMedia(folder, 'repeated.wav', '-i', speechWav, '-af', filter);
    const answer = await transcriber.post(path, { response_format: 'verbose_json' });
    const { segments } = (await answer.json()) as { segments: { temperature: number }[] };
    expect(segments.some(({ temperature }) => temperature > 0)).toBe(true);
    for (const { temperature } of segments) expect([0, 0.4, 0.8]).toContain(temperature);
  });

  matrixTest('finds the same voices in quiet speech with and without long silence behind it', async () => {
    const [alone, padded] = await Promise.all(
      ['volume=0.2', 'volume=0.2,apad=pad_dur=60'].map(async (filter, index) => {
        const file = await makeMedia(folder, `quiet-${index}.wav`, '-i', speechWav, '-af', filter);
        const answer = await transcriber.post(file, { response_format: 'verbose_json', 'include[]': 'voices' });
        return ((await answer.json()) as { voices: { vector: number[] }[] }).voices.map(({ vector }) => vector);
      }),
    );
    expect(alone?.length).toBeGreaterThan(0);
    for (const [index, vector] of (alone ?? []).entries()) {
      const product = vector.reduce((sum, value, place) => sum + value * (padded?.[index]?.[place] ?? 0), 0);
      expect(product).toBeGreaterThan(0.99);
    }
  });

  test('transcribes speech behind music as without it, and not the music before it', async () => {
    const graph = '[0]adelay=8000:all=1[talk];[1]volume=0.3[music];[talk][music]amix=duration=shortest:normalize=0';
    const inputs = ['-i', speechWav, '-stream_loop', '-1', '-i', musicOgg];
    const path = await makeMedia(folder, 'behind.wav', ...inputs, '-filter_complex', graph, '-ac', '1', '-ar', '16000');
    const [alone, behind] = [await transcriber.words(speechWav), await transcriber.words(path)];
    const textOf = (words: readonly HeardWord[]) => words.flatMap(({ word }) => plainWords(word));
    expect(alignTexts(textOf(alone), textOf(behind)).errors).toBeLessThan(3);
    expect(behind[0]?.start).toBeGreaterThan(7.5);
  });

  test('a client that disconnects frees the transcriber before its file is done', async () => {
    const { process } = transcriber;
    const caller = new AbortController();
    // Each window of the model has the talk once: words that repeat within a window take the model many times longer.
    const filter = 'aresample=16000,apad=whole_dur=30,aloop=loop=3:size=480000';
    const long = await makeMedia(folder, 'long.wav', '-i', speechWav, '-af', filter, '-c:a', 'pcm_s16le');
    const abandoned = expect(transcriber.post(long, {}, { signal: caller.signal })).rejects.toThrow('aborted');
    await process.until('start', () => process.output.includes('Transcribing 120 s'), 120_000);
    caller.abort();
    await abandoned;
    await process.until('sentence', () => process.output.includes('The client disconnected'), 120_000);
    expect(process.output).not.toContain('Transcribed 120');
  });
});

const talk = `The quick brown fox jumps over the lazy dog. After a long walk, the children came home and ate their dinner.
Every morning the postman rides his bicycle along the river. He brings letters, newspapers and small parcels to the
people who live on the other side of the bridge. In winter the road is covered with snow, and he has to walk. Nobody
has ever heard him complain about the weather.`;

test('words have the times at which they are spoken, and a confidence', async () => {
  const path = join(folder, 'talk.wav');
  const said = await speak(talk.replaceAll('\n', ' '), path);
  const heard = await transcriber.words(path);
  const { pairs } = alignTexts(
    said.map(({ word }) => plainWords(word).join('')),
    heard.map(({ word }) => plainWords(word).join('')),
  );
  expect(pairs.length).toBeGreaterThan(said.length * 0.9);
  const off = pairs
    .map(([one, other]) => Math.abs((said[one]?.start ?? 0) - (heard[other]?.start ?? 0)))
    .toSorted((one, other) => one - other);
  // 97 of 100 words within 0.2 s, and every word within 0.4 s.
  expect(off[Math.floor(off.length * 0.97) - 1]).toBeLessThanOrEqual(0.2);
  expect(off.at(-1)).toBeLessThan(0.4);
  for (const { start, end, probability } of heard) {
    expect(end).toBeGreaterThanOrEqual(start);
    expect(probability).toBeGreaterThan(0);
    expect(probability).toBeLessThanOrEqual(1);
  }
});

test('knows the names of the prompt, and does not repeat them instead of what is said', async () => {
  const path = join(folder, 'names.wav');
  const hear = async (spoken: string, prompt: string) => {
    await speak(spoken, path);
    return ((await (await transcriber.post(path, { prompt })).json()) as { text: string }).text;
  };
  const spoken = 'Ask Siobhan Kowalczyk whether Holdfast runs on Kubernetes. She flies to Reykjavik tomorrow.';
  expect(await hear(spoken, 'Siobhan Kowalczyk, Holdfast, Kubernetes, Reykjavik')).toContain('Siobhan Kowalczyk');
  const names = 'Ask Siobhan Kowalczyk whether she flies to Reykjavik.';
  const long = await hear(`${names} ${talk.replaceAll('\n', ' ')} ${names}`, 'Siobhan Kowalczyk, Reykjavik');
  expect(long).toContain('brings letters, newspapers');
});

/** Four voices of eSpeak NG that differ in more than their pitch. */
const dialogue = [
  ['en-us+david', 'Did you see the report that came in yesterday from the northern office?'],
  ['en-us+linda', 'I did, and I think the figures for March are wrong.'],
  ['en-us+klatt2', 'We should ask them to send the complete list again before the meeting on Friday.'],
  ['en-us+boris', 'If the weather stays like this, the harvest will be late this year, and prices will rise.'],
  ['en-us+linda', 'My sister works in a small bakery near the station, and she starts at four in the morning.'],
  ['en-us+david', 'Every morning the postman rides his bicycle along the river, and nobody has heard him complain.'],
  ['en-us+boris', 'After a long walk, the children came home and ate their dinner.'],
  ['en-us+klatt2', 'In winter the road is covered with snow, and he has to walk.'],
] as const;

test('names the wrong speaker for at most 5 % of a dialogue of four voices in two chunks', async () => {
  const { path, turns, duration } = await spokenDialogue();
  const chunkSeconds = duration / 2 + 1;
  const chunks = await Promise.all(
    [0, duration - chunkSeconds].map(async (start, index) => {
      const part = await makeMedia(folder, `part-${index}.wav`, '-ss', `${start}`, '-t', `${chunkSeconds}`, '-i', path);
      const granularities = { 'timestamp_granularities[]': ['segment', 'word'], 'include[]': 'voices' };
      const reply = await transcriber.post(part, { response_format: 'verbose_json', ...granularities });
      const answer = readAnswer('openai-transcription', 'local/tiny.en', await reply.json(), chunkSeconds);
      if (answer === undefined) throw new Error('The answer is no transcription');
      return { index, start, duration: chunkSeconds, ...answer, voices: voicesOf(answer) };
    }),
  );
  const names = new Map<string, string>();
  for (const { voice } of turns) if (!names.has(voice)) names.set(voice, `S${names.size + 1}`);
  const secondsOf = (each: readonly { start: number; end: number }[]) =>
    each.reduce((sum, { start, end }) => sum + end - start, 0);
  for (const wanted of [true, 4] as const) {
    const { words } = buildTranscript(chunks, wanted);
    const wrong = words.filter(({ start, end, speaker }) => {
      const turn = turns.findLast((one) => one.start <= (start + end) / 2) ?? turns[0];
      return names.get(turn?.voice ?? '') !== speaker;
    });
    expect(words.length).toBeGreaterThan(80);
    expect(secondsOf(wrong) / secondsOf(words), `speakers: ${wanted}`).toBeLessThan(0.05);
  }
});

/** Speaks the dialogue once, with pauses of a quarter of a second. */
async function spokenDialogue() {
  const path = join(folder, 'dialogue.wav');
  const parts: string[] = [];
  const turns: { voice: string; start: number }[] = [];
  let start = 0;
  for (const [index, [voice, spoken]] of dialogue.entries()) {
    const part = join(folder, `turn-${index}.wav`);
    await speak(spoken, part, voice);
    const trimmed = await makeMedia(
      folder,
      `turn-${index}-trimmed.wav`,
      ...['-i', part, '-af', 'areverse,silenceremove=1:0:-50dB,areverse,silenceremove=1:0:-50dB,apad=pad_dur=0.25'],
    );
    turns.push({ voice, start });
    start += (await probeAudio(trimmed)).duration;
    parts.push('-i', trimmed);
  }
  await makeMedia(folder, 'dialogue.wav', ...parts, '-filter_complex', `concat=n=${dialogue.length}:v=0:a=1`);
  return { path, turns, duration: start };
}
