import { WorkflowFailedError } from '@temporalio/client';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EncodeOutcome } from '../../contract/workflow/encode.ts';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import {
  transcription,
  type TranscriptionCall,
  type TranscriptionReply,
  TranscriptionServer,
} from '../fixtures/transcription-server.ts';
import { motion, quickH264, tone } from '../support/films.ts';
import { useFolder } from '../support/folder.ts';
import { makeMedia } from '../support/media-files.ts';
import { run } from '../support/process.ts';
import { TestStack } from '../support/stack.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const folder = useFolder();

const seconds = 12;
const chunks = 2;
const words = Array.from({ length: seconds }, (_, second) => `w${second}`);

/** Hears one word for each second of the chunk. */
function spoken({ index }: Pick<TranscriptionCall, 'index'>): TranscriptionReply {
  const from = index * 8;
  const heard = words
    .slice(from, from + 10)
    .map((text, second) => ({ start: second, end: second + 1, text: ` ${text}` }));
  return { kind: 'answer', body: transcription(heard) };
}

const provider = await stopAfterAll(TranscriptionServer.start(spoken));
const providersFile = join(folder, 'providers.json');
const whisper = { kind: 'openai-transcription', url: provider.url };
const providers = { 'test/whisper': whisper, 'test/annas': { ...whisper, owners: ['anna'] } };
await writeFile(providersFile, JSON.stringify(providers));
const stack = await stopAfterAll(
  TestStack.start({ workerEnvironment: { PROVIDERS_FILE: providersFile }, sharesMedia: true }),
);
const sound = [...tone(seconds), '-shortest', '-c:a', 'aac'];
await makeMedia(stack.container.mediaRoot, 'film.mp4', ...motion(seconds), ...sound, ...quickH264);

function input(name: string, outputs: Record<string, unknown>[]) {
  const { container } = stack;
  return {
    sourceUrl: container.fileUrl('film.mp4'),
    outputs,
    transcript: {
      uploadUrlPrefix: container.fileUrl(`${name}/`),
      provider: 'test/whisper',
      chunkDuration: 10,
      overlapDuration: 2,
    },
  };
}

const film = { container: 'mp4', video: { codec: 'h264', speed: 'fast' } };

/** Texts and times of the first subtitle track. */
async function captionsOf(name: string): Promise<string> {
  const path = join(stack.container.mediaRoot, name);
  const { output } = await run('ffmpeg', ['-v', 'error', '-i', path, '-map', '0:s:0', '-f', 'srt', '-']);
  return output;
}

test('captions become a track, are burnt in, and are WebVTT of a package, from one transcript', async () => {
  provider.reset(spoken);
  const { container } = stack;
  const track = { language: 'eng', title: 'Captions', default: true };
  const handle = await stack.run(
    'encode',
    input('three', [
      { ...film, captions: track, uploadUrl: container.fileUrl('track.mp4') },
      { ...film, container: 'mkv', captions: 'burn', uploadUrl: container.fileUrl('burnt.mkv') },
      { package: ['hls'], video: film.video, captions: true, uploadUrlPrefix: container.fileUrl('hls/') },
    ]),
  );
  const result = (await handle.result()) as EncodeOutcome;
  expect(provider.calls).toHaveLength(chunks);
  expect(result.outputs.map(({ subtitles }) => subtitles)).toMatchObject([
    { tracks: [{ codec: 'mov_text', language: 'eng', isDefault: true, cues: 2 }] },
    { burnt: { cues: 2 } },
    { tracks: [{ codec: 'webvtt', cues: 2 }] },
  ]);
  const texts = await captionsOf('track.mp4');
  expect(texts).toContain('00:00:00,000 --> 00:00:');
  expect(texts.match(/w\d+/g)).toEqual(words);
  expect(await run('cat', [join(container.mediaRoot, 'three/transcript.txt')])).toMatchObject({
    output: expect.stringContaining('w0 w1 w2') as string,
  });
  expect(result.transcript?.vtt).toBe(container.fileUrl('three/transcript.vtt'));
  const { steps } = await handle.query<WorkflowStatus>('status');
  expect(steps?.map(({ id, state }) => [id, state])).toEqual([
    ['transcript', 'done'],
    ['encode', 'done'],
  ]);
});

test('a chunk that the provider refuses fails the run, and the next run transcribes only this chunk', async () => {
  provider.reset((call) =>
    call.index === 1
      ? { kind: 'answer', status: 400, body: { error: { message: 'unusable', type: 'invalid_request_error' } } }
      : spoken(call),
  );
  const request = input('gaps', [{ ...film, captions: true, uploadUrl: stack.container.fileUrl('gaps.mp4') }]);
  const failed = (await (await stack.run('encode', request)).result().catch((error: unknown) => error)) as Error;
  expect(failed).toBeInstanceOf(WorkflowFailedError);
  expect(failed.cause).toMatchObject({
    type: 'TranscriptFailed',
    message: expect.stringContaining('1 of 2 chunks were not transcribed') as string,
  });
  provider.reset(spoken);
  await (await stack.run('encode', request)).result();
  expect(provider.calls.map(({ index }) => index)).toEqual([1]);
  expect((await captionsOf('gaps.mp4')).match(/w\d+/g)).toEqual(words);
});

test('a film in which nobody speaks gets no captions', async () => {
  provider.reset(() => ({ kind: 'answer', body: transcription([]) }));
  const request = input('mute', [
    { ...film, captions: true, uploadUrl: stack.container.fileUrl('mute.mp4') },
    { ...film, captions: 'burn', uploadUrl: stack.container.fileUrl('mute-burnt.mp4') },
  ]);
  const result = (await (await stack.run('encode', request)).result()) as EncodeOutcome;
  expect(result.outputs.map(({ subtitles }) => subtitles)).toEqual([undefined, undefined]);
});

test('captions are of the track of their output, and not of an earlier transcript of another track', async () => {
  const tracks = [...tone(seconds), ...tone(seconds / 2), '-map', '0', '-map', '1', '-map', '2', '-c:a', 'aac'];
  const languages = ['-metadata:s:a:0', 'language=deu', '-metadata:s:a:1', 'language=eng'];
  await makeMedia(stack.container.mediaRoot, 'two.mp4', ...motion(seconds), ...tracks, ...languages, ...quickH264);
  const sourceUrl = stack.container.fileUrl('two.mp4');
  // The second track has half the chunks.
  for (const [track, count] of [
    ['eng', 1],
    ['deu', chunks],
  ] as const) {
    provider.reset(spoken);
    const output = { ...film, track, captions: true, uploadUrl: stack.container.fileUrl(`${track}.mp4`) };
    await (await stack.run('encode', { ...input('two', [output]), sourceUrl })).result();
    expect(provider.calls).toHaveLength(count);
  }
});

test('the transcript uses the providers of the owner of its run', async () => {
  provider.reset(spoken);
  const asked = input('annas', [{ ...film, captions: true, uploadUrl: stack.container.fileUrl('annas.mp4') }]);
  const request = { ...asked, transcript: { ...asked.transcript, provider: 'test/annas' } };
  const ofBert = await stack.run('encode', { ...request, owner: 'bert' });
  await expect(ofBert.result()).rejects.toMatchObject({ cause: { type: 'UnknownProvider' } });
  expect(provider.calls).toEqual([]);
  await (await stack.run('encode', { ...request, owner: 'anna' })).result();
});

test('a cancelled run cancels its transcript', async () => {
  const asked = Promise.withResolvers<void>();
  provider.reset(() => {
    asked.resolve();
    return { kind: 'hang' };
  });
  const request = input('cancelled', [{ ...film, captions: true, uploadUrl: stack.container.fileUrl('never.mp4') }]);
  const handle = await stack.run('encode', request);
  await asked.promise;
  await handle.cancel();
  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  await expect.poll(() => provider.inFlight).toBe(0);
});
