import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { encodeArguments } from '../../../../engine/sound/arguments.ts';
import { runWithinLimits } from '../../../../engine/ffmpeg/limited-run.ts';
import type { OutputPlan } from '../../../../engine/plan/planned-output.ts';
import { RawSamples } from '../../../../engine/source/raw-samples.ts';
import { findEntry } from '../../../../engine/sound/segmented/entry.ts';
import { createFrameGrid } from '../../../../engine/sound/segmented/grid.ts';
import { joinableCodecs } from '../../../../engine/sound/segmented/joinable-codecs.ts';
import { layOutSegments } from '../../../../engine/sound/segmented/plan.ts';
import { segmentArguments, type SegmentInput } from '../../../../engine/sound/segmented/segment-encode.ts';
import type { AudioSource } from '../../../../engine/source/source.ts';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { longWav, makeOnce, musicOgg } from '../../../support/media.ts';
import { encoded, music, speech } from './inputs.ts';
import { audioIn, inFolder, jobIn, limits, prepare, segmentedRun, singleRun } from './support.ts';
import type { AudioPlan } from '../../../../engine/plan/audio-plan.ts';

/** A source and an output of it that is cut, faded, mixed or shifted. */
export interface CutRow {
  input: string;
  output: DescribedOutput;
  segments: number;
}

const seconds = 50.123;

/** Bursts of sound between pauses of many lengths, at positions that start no block. */
const gated = "volume='gt(sin(t*3.1)+sin(t*1.7),-0.4)':eval=frame,asetnsamples=173:p=0";
const video = ['-f', 'lavfi', '-i', `color=red:s=16x16:r=10:d=${seconds + 1}`];
const surround = 'pan=5.1(side)|FL=c0|FR=c1|FC=0.6*c0|LFE=0.2*c1|SL=0.5*c1|SR=0.4*c0';

export const cutInputs: Record<string, () => Promise<string>> = {
  WAV: () => music({ seconds }),
  'WAV of 48 kHz': () => music({ seconds, sampleRate: 48_000 }),
  'WAV of 8 bits': async () => await encoded(await music({ seconds }), 'music-8-bits.wav', ['-c:a', 'pcm_u8']),
  speech: () => speech({ seconds }),
  FLAC: async () => await encoded(await music({ seconds }), 'music.flac'),
  'FLAC without its header': async () =>
    await encoded(await music({ seconds }), 'headless.flac', ['-write_header', '0']),
  mp3: async () => await encoded(await music({ seconds }), 'music-vbr.mp3', ['-q:a', '3']),
  m4a: async () => await encoded(await music({ seconds }), 'music.m4a', ['-metadata', 'title=Tagged']),
  Vorbis: async () =>
    await encoded(await music({ seconds }), 'tagged.ogg', ['-c:a', 'libvorbis', '-metadata', 'title=Tagged']),
  pauses: async () => await encoded(await music({ seconds }), 'pauses.wav', ['-af', gated]),
  'pauses in FLAC': async () => await encoded(await music({ seconds }), 'pauses.flac', ['-af', gated]),
  'pauses in mp3': async () => await encoded(await music({ seconds }), 'pauses.mp3', ['-af', gated, '-b:a', '192k']),
  'pauses in m4a': async () => await encoded(await music({ seconds }), 'pauses.m4a', ['-af', gated]),
  'a video whose audio starts late': async () =>
    await makeOnce('late.mkv', [
      ...[...video, '-itsoffset', '0.7315', '-i', await music({ seconds })],
      ...['-c:v', 'mpeg4', '-c:a', 'aac', '-b:a', '128k'],
    ]),
  'a recording with a gap': async () =>
    await makeOnce('gap.webm', [
      ...['-i', await music({ seconds }), '-af', "aselect='not(between(t,13,15.5))'", '-c:a', 'libopus'],
    ]),
  'a recording of 44.1 kHz with a gap': async () =>
    await makeOnce('gap.mka', [
      ...['-i', await music({ seconds }), '-af', "aselect='not(between(t,13,15.51234))'", '-c:a', 'aac'],
    ]),
  'unequal speakers': async () =>
    await makeOnce('unequal.wav', [
      ...['-i', await speech({ seconds: 130 })],
      ...['-af', "volume='if(lt(mod(t,17),6),0.1,if(lt(mod(t,23),9),0,1))':eval=frame"],
    ]),
  'two tracks': async () =>
    await makeOnce('two-tracks.mka', [
      ...['-i', await speech({ seconds }), '-i', await music({ seconds })],
      ...['-map', '0', '-map', '1', '-c:a:0', 'flac', '-c:a:1', 'libvorbis'],
    ]),
  '5.1 in FLAC': async () =>
    await encoded(await longWav({ seconds, channels: 2, source: musicOgg }), 'surround.flac', ['-af', surround]),
  '5.1 in AC-3': async () => await encoded(await music({ seconds }), 'surround.mka', ['-af', surround, '-c:a', 'ac3']),
};

async function inputOf({ input }: CutRow): Promise<string> {
  const path = await cutInputs[input]?.();
  if (path === undefined) throw new Error(`no input ${input}`);
  return path;
}

/** Makes the file in segments and by a single run. */
export async function makeBoth(
  row: CutRow,
  compare: (single: string, segmented: string) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const input = await inputOf(row);
    const { source, plan } = await prepare(input, row.output);
    const [single, segmented] = [join(folder, 'single'), join(folder, 'segmented')];
    await segmentedRun(source, plan, row.segments, () => 0.7, jobIn(folder), segmented);
    await singleRun(input, plan, single);
    await compare(single, segmented);
  });
}

/** The same samples at the encoder's input, in 32-bit floating point. */
function asSamples(plan: OutputPlan, audio: AudioPlan): OutputPlan {
  return { ...plan, container: 'wav', audio: { ...audio, codec: 'pcm', samples: 'float', bitrate: undefined } };
}

async function samplesIn(path: string): Promise<Float32Array> {
  const file = await readFile(path);
  const data = file.indexOf('data', 0, 'latin1') + 8;
  const bytes = file.subarray(data, file.length - ((file.length - data) % 4));
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

async function openInput(source: AudioSource, folder: string): Promise<SegmentInput> {
  const entry = await findEntry(source);
  if (entry.kind === 'none') throw new Error(entry.reason);
  if (entry.kind !== 'pcm') return entry;
  const raw = new RawSamples(join(folder, 'raw'), source, entry.shape, limits.maxOutputBytes);
  await raw.decode(limits, new AbortController().signal, () => {});
  return { kind: 'pcm', raw };
}

/** Seconds after which resampler and limiter, or the speech level, have forgotten their late start. */
const settlingSeconds = { others: 1.5, speech: 4 };
/** Seconds at the end of an encoder's run-out that depend on later, missing samples. */
const runningSeconds = { others: 0.02, speech: 2.7 };

/** Expects the encoders of segments to receive the single run's samples bit by bit. */
export async function expectSameSamples(row: CutRow): Promise<void> {
  await inFolder(async (folder) => {
    const input = await inputOf(row);
    const { source, plan } = await prepare(input, row.output);
    const audio = audioIn(plan);
    const codec = joinableCodecs[audio.codec];
    const grid = codec && createFrameGrid(codec, audio, source.sampleRate);
    if (codec === undefined || grid === undefined) throw new Error('this cannot be split');
    const whole = join(folder, 'whole');
    await singleRun(input, asSamples(plan, audio), whole);
    const expected = await samplesIn(whole);
    const kept = audio.cut?.keptSamples ?? (source.estimatedSeconds ?? 0) * source.sampleRate;
    const steps = (kept * grid.outputRate) / grid.sourceRate / grid.frameSamples / grid.step;
    const cuts = Array.from(
      { length: row.segments },
      (_, index) => Math.floor((steps * index) / row.segments) * grid.step,
    );
    const reader = { source, input: await openInput(source, folder) };
    const { signal } = new AbortController();
    const memory = audio.evensSpeech ? 'speech' : 'others';
    for (const [index, segment] of layOutSegments(cuts, grid, codec).entries()) {
      const path = join(folder, `segment-${index}`);
      const { outputOptions, ...read } = await segmentArguments(
        ...([reader, segment, audio] as const),
        (ofSegment, trim) => encodeArguments(asSamples(plan, ofSegment), trim),
        signal,
      );
      await runWithinLimits({ ...read, outputs: [{ path, options: outputOptions }] }, limits, signal, () => {});
      const made = await samplesIn(path);
      const settling = segment.outputFrom === 0 ? 0 : settlingSeconds[memory];
      // The run-out follows the last frame, and the resampler has no input after it.
      const running = segment.outputSamples === undefined ? 0 : runningSeconds[memory];
      const from = Math.round(settling * grid.outputRate) * audio.channels;
      const to = made.length - Math.round(running * grid.outputRate) * audio.channels;
      const first = segment.outputFrom * audio.channels;
      if (segment.outputSamples === undefined) expect(first + made.length).toBe(expected.length);
      else expect(made.length).toBe(segment.outputSamples * audio.channels);
      expect(to).toBeGreaterThan(from);
      const part = made.subarray(from, to);
      const differs = part.findIndex((sample, place) => sample !== expected[first + from + place]);
      expect(differs, `segment ${index}, sample ${first + from + differs} of ${expected.length}`).toBe(-1);
    }
  });
}
