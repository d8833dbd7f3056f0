import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import WaveformData from 'waveform-data';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { rawSamplesOf, sha256Of, words } from '../../../support/media-files.ts';

// Peaks have the format of audiowaveform. They are read by its reader and compared with a plain decode.

const service = await useEncodes();
const { encoded, file, fromMusic, make, outputFile } = service;

interface PeaksJson {
  version: number;
  channels: number;
  sample_rate: number;
  samples_per_pixel: number;
  bits: number;
  length: number;
  data: number[];
}

async function readJson(path: string): Promise<PeaksJson> {
  return JSON.parse(await readFile(path, 'utf8')) as PeaksJson;
}

/** Peaks by audiowaveform's rule: the truncated mean of the channels, or each channel. */
function expectedPeaks(samples: ArrayLike<number>, channels: number, options: DescribedOutput): number[] {
  const { zoom = 256, bits = 16, splitChannels = false } = options;
  const frames = samples.length / channels;
  const at = (frame: number, channel: number): number => (samples[frame * channels + channel] ?? 0) * 32_768;
  const all = Array.from({ length: channels }, (_, channel) => channel);
  const values = splitChannels
    ? all.map((channel) => (frame: number) => at(frame, channel))
    : [(frame: number) => all.reduce((sum, channel) => sum + at(frame, channel), 0) / channels];
  const peaks: number[] = [];
  for (let from = 0; from < frames; from += zoom) {
    for (const value of values) {
      const pixel = Array.from({ length: Math.min(zoom, frames - from) }, (_, place) => value(from + place));
      for (const peak of [
        pixel.reduce((one, other) => Math.min(one, other)),
        pixel.reduce((one, other) => Math.max(one, other)),
      ]) {
        const sixteen = Math.trunc(Math.min(32_767, Math.max(-32_768, peak)));
        peaks.push(bits === 16 ? sixteen : Math.trunc(sixteen / 256));
      }
    }
  }
  return peaks.map((peak) => peak + 0);
}

describe('peaks', () => {
  beforeAll(async () => {
    await make('mono.flac', ...fromMusic(), '-ac', '1', '-ar', '22050', '-t', '1.01');
    await make(
      'surround.flac',
      ...[
        ...words(
          '-f lavfi -i aevalsrc=0.1*sin(9*t)|0.2*sin(800*t)|-0.3|0.4*sin(t*70)|0.5*random(0)|t-0.5:c=5.1:s=48000:d=1.003',
        ),
      ],
    );
    await make('one.wav', ...fromMusic(), '-af', 'atrim=start_sample=50000:end_sample=50001');
    await make('talk.mp3', ...fromMusic(), '-t', '1', '-b:a', '128k');
    await make('deep.flac', ...fromMusic(), '-af', 'volume=0.3333', '-t', '1', '-sample_fmt', 's32');
  });

  const kinds: DescribedOutput[] = [
    { analysis: 'peaks' },
    { analysis: 'peaks', zoom: 333, bits: 8 },
    { analysis: 'peaks', zoom: 7, splitChannels: true },
    { analysis: 'peaks', zoom: 1_000_000, bits: 8, splitChannels: true },
    { analysis: 'peaks', zoom: 441, splitChannels: true, bits: 8, dataFormat: 'dat' },
    { analysis: 'peaks', dataFormat: 'dat' },
  ];

  test.each([
    ['second.wav', 2, 44_100],
    ['mono.flac', 1, 22_050],
    ['surround.flac', 6, 48_000],
    ['one.wav', 2, 44_100],
    ['talk.mp3', 2, 44_100],
    ['deep.flac', 2, 44_100],
  ])(
    'makes the peaks of %s from what plain ffmpeg decodes, as JSON and as .dat',
    async (source, channels, sampleRate) => {
      const { outputs } = await encoded(source, kinds);
      const samples = await rawSamplesOf(file(source), 'f32le');
      const frames = samples.length / channels;
      for (const [index, kind] of kinds.entries()) {
        const { zoom = 256, bits = 16, splitChannels = false, dataFormat = 'json' } = kind;
        const path = outputFile(source, index);
        const own = splitChannels ? channels : 1;
        const length = Math.ceil(frames / zoom);
        expect(outputs[index]).toEqual({
          analysis: 'peaks',
          contentType: dataFormat === 'json' ? 'application/json' : 'application/octet-stream',
          ...{ channels, sampleRate, duration: Math.round((frames / sampleRate) * 1000) / 1000 },
          peaks: { length, zoom, bits, channels: own },
          size: (await readFile(path)).length,
          sha256: await sha256Of(path),
        });
        const wanted = expectedPeaks(samples, channels, kind);
        const bytes = await readFile(path);
        const read =
          dataFormat === 'json'
            ? WaveformData.create(await readJson(path))
            : WaveformData.create(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
        expect([read.channels, read.length, read.scale, read.bits, read.sample_rate]).toEqual([
          own,
          length,
          zoom,
          bits,
          sampleRate,
        ]);
        const found = Array.from({ length }, (_, pixel) =>
          Array.from({ length: own }, (_, channel) => {
            const peaks = read.channel(channel);
            return [peaks.min_sample(pixel), peaks.max_sample(pixel)];
          }),
        ).flat(2);
        expect(found).toEqual(wanted);
      }
    },
  );
});
