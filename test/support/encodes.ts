import { copyFile, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { DescribedOutput } from '../../contract/http/output.ts';
import { formatExtension } from '../../contract/formats.ts';
import { EncodeResult } from '../../contract/http/encode.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { TestContainer, type Answer } from './container.ts';
import { expectNothingLeaked } from './leaks.ts';
import { makeOnce, musicOgg, speechWav } from './media.ts';
import type { Environment } from './process.ts';
import { makeMedia, probe, samplesOf, sha256Of } from './media-files.ts';
import { stopAfterAll } from './stop-after-all.ts';

interface Probed {
  streams: {
    codec_type: string;
    codec_name: string;
    channels: number;
    sample_rate: string;
    bits_per_raw_sample?: string;
    duration?: string;
    disposition: { attached_pic: number };
    tags?: Record<string, string>;
  }[];
  format: { duration: string; bit_rate: string; tags?: Record<string, string> };
}

export const probeAll = async (path: string) => (await probe(path, '-show_streams', '-show_format')) as Probed;

/** A container with an origin of media, for the tests of one file. */
export interface Encodes {
  readonly container: TestContainer;
  readonly media: MediaServer;
  /** Path under the media root, which contains `music.wav`, `second.wav`, `sibling.mp3`, `speech.wav` and `a-folder`. */
  file(name: string, from?: TestContainer): string;
  make(name: string, ...args: string[]): Promise<string>;
  fromMusic(): string[];
  /** Encodes a file under the media root to `out/<source>/<index>`. */
  encode(source: string, requests: readonly DescribedOutput[], extra?: object, by?: TestContainer): Promise<Answer>;
  /** Encodes as `encode` does, and expects success. */
  encoded(
    source: string,
    requests: readonly DescribedOutput[],
    extra?: object,
    by?: TestContainer,
  ): Promise<EncodeResult>;
  outputFile(source: string, index?: number): string;
  expectNothingUploaded(source: string, from?: TestContainer): Promise<void>;
  /** Expects every field of the answer to match the file (docs/reference/encode.md). */
  expectTrue(source: string, answer: Answer, requests: DescribedOutput[], codecs: string[]): Promise<void>;
}

/** Starts the container and the origin, and checks that the tests leave nothing and that nothing secret was logged. */
export async function useEncodes(environment: Environment = {}): Promise<Encodes> {
  afterAll(() => {
    expectNothingLeaked(container);
    expect(container.process.logLines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });
  const media = await stopAfterAll(MediaServer.start());
  const container = await stopAfterAll(TestContainer.start(environment));
  afterAll(async () => {
    expect(await container.health()).toMatchObject({ activeJobs: 0, jobs: [] });
    expect(await container.jobFolders()).toEqual([]);
  });

  const file = (name: string, from = container) => join(from.mediaRoot, name);
  const make = (name: string, ...args: string[]) => makeMedia(container.mediaRoot, name, ...args);
  const fromMusic = () => ['-i', file('music.wav')];
  const outputFile = (source: string, index = 0) => file(`out/${source}/${index}`);

  const music = await makeOnce('music-5s.wav', ['-i', musicOgg, '-t', '5', '-c:a', 'pcm_s16le']);
  await copyFile(music, file('music.wav'));
  await copyFile(await makeOnce('music-1s.wav', ['-i', music, '-t', '1']), file('second.wav'));
  await copyFile(await makeOnce('music-1s.mp3', ['-i', music, '-t', '1']), file('sibling.mp3'));
  await copyFile(speechWav, file('speech.wav'));
  await mkdir(file('a-folder'));

  const encode: Encodes['encode'] = async (source, requests, extra = {}, by = container) =>
    await by.call('POST', '/encode', {
      sourceUrl: by.fileUrl(source),
      outputs: requests.map((request, index) => ({ ...request, uploadUrl: by.fileUrl(`out/${source}/${index}`) })),
      ...extra,
    });

  return {
    container,
    media,
    file,
    make,
    fromMusic,
    outputFile,
    encode,
    async encoded(source, requests, extra, by) {
      const answer = await encode(source, requests, extra, by);
      expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ success: true });
      return EncodeResult.parse(answer.body);
    },
    async expectNothingUploaded(source, from = container) {
      await expect(stat(join(from.mediaRoot, 'out', source))).rejects.toThrow('ENOENT');
    },
    async expectTrue(source, answer, requests, codecs) {
      expect(answer.body).toMatchObject({ success: true });
      expect(answer.status).toBe(200);
      const result = EncodeResult.parse(answer.body);
      expect(result.outputs.map(({ format }) => format)).toEqual(requests.map(({ format }) => format));
      for (const [index, output] of result.outputs.entries()) {
        const path = outputFile(source, index);
        const streams = (await probeAll(path)).streams.filter(({ disposition }) => disposition.attached_pic === 0);
        expect(streams).toHaveLength(1);
        const [audio] = streams;
        expect(audio).toMatchObject({ codec_name: codecs[index], channels: output.channels });
        const { channels, sampleRate } = output;
        expect(output.streams).toMatchObject([{ kind: 'audio', codec: codecs[index], channels, sampleRate }]);
        expect(formatExtension(output.format ?? '')).toBe(output.container);
        // Opus always decodes at 48 kHz.
        if (audio?.codec_name !== 'opus') expect(Number(audio?.sample_rate)).toBe(output.sampleRate);
        expect(output.size).toBe((await stat(path)).size);
        expect(output.sha256).toBe(await sha256Of(path));
        // ffprobe's duration of an mp3 includes padding, so samples are counted. ffmpeg decodes the last AAC frame whole.
        const played = (await samplesOf(path, 8000)).length / 8000;
        const tolerance = Math.max(0.05, audio?.codec_name === 'aac' ? 1024 / (output.sampleRate ?? 0) : 0);
        expect(Math.abs(played - (output.duration ?? Number.NaN))).toBeLessThanOrEqual(tolerance);
        expect(Math.abs((output.duration ?? Number.NaN) - result.source.duration)).toBeLessThanOrEqual(0.05);
        const requested = requests[index];
        if (requested?.channels !== undefined) expect(output.channels).toBe(requested.channels);
        if (requested?.sampleRate !== undefined) expect(output.sampleRate).toBe(requested.sampleRate);
        const bitrate = Number(/_(\d+)$/.exec(requested?.format ?? '')?.[1] ?? output.bitrate);
        expect(output.bitrate).toBe(bitrate);
      }
    },
  };
}
