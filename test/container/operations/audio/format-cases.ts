import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { audioCodecFacts, encodingOf, type AudioCodec } from '../../../../contract/audio-codecs.ts';
import { containers, type ContainerName, type FormatBase, formats } from '../../../../contract/formats.ts';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import { TestContainer } from '../../../support/container.ts';
import { musicOgg } from '../../../support/media.ts';
import { makeMedia, pcmDigest, samplesOf } from '../../../support/media-files.ts';
import { stopAfterAll } from '../../../support/stop-after-all.ts';

export interface FormatCase {
  request: DescribedOutput;
  container: ContainerName;
  codec: AudioCodec;
  bitrate?: number;
  channels: number;
  sampleRate: number;
}

/** The lowest and highest bitrate at the lowest and highest sample rate. */
function casesFor(name: FormatBase, channels: number): FormatCase[] {
  const { container: held, codec } = formats[name];
  const { sampleRates, bitrates } = audioCodecFacts(codec);
  const rates = sampleRates ?? [8000, 44_100, 96_000];
  const chosen = new Set([rates[0], rates.at(-1)]);
  return [...chosen].flatMap((sampleRate = 0): FormatCase[] => {
    const shape = { channels, sampleRate };
    if (bitrates === undefined) return [{ request: { format: name, ...shape }, container: held, codec, ...shape }];
    const allowed = bitrates(channels, sampleRate);
    const edges = 'min' in allowed ? [allowed.min, allowed.max] : [allowed[0] ?? 0, allowed.at(-1) ?? 0];
    return [...new Set(edges)].map((bitrate) => ({
      request: { format: `${name}_${bitrate}`, ...shape },
      ...{ container: held, codec, bitrate, ...shape },
    }));
  });
}

export interface FormatCases {
  container: TestContainer;
  /** Path of a file of the container. */
  file: (name: string) => string;
  /** Expects an encode of the source to have exactly the samples of plain ffmpeg with the same settings. */
  expectPlain: (source: string, cases: readonly FormatCase[]) => Promise<void>;
}

export async function useFormatCases(): Promise<FormatCases> {
  const container = await stopAfterAll(TestContainer.start());
  const file = (name: string) => join(container.mediaRoot, name);

  for (const channels of [1, 2, 6]) {
    const options = ['-i', musicOgg, '-t', '3', '-ac', String(channels), '-c:a', 'pcm_s16le'];
    await makeMedia(container.mediaRoot, `music-${channels}.wav`, ...options);
    await makeMedia(container.mediaRoot, `moment-${channels}.wav`, ...options, '-t', '0.05');
  }

  async function encodePlainly(source: string, output: FormatCase): Promise<string> {
    const { container: name, codec, bitrate, channels, sampleRate } = output;
    const { encoder, sampleFormat } = encodingOf(codec, 16);
    return await makeMedia(
      container.mediaRoot,
      'plain',
      ...['-i', file(source), '-map_metadata', '-1'],
      ...['-af', `aresample=async=1,aformat=channel_layouts=${audioCodecFacts(codec).channelLayouts[channels - 1]}`],
      ...['-ar', String(sampleRate), '-c:a', encoder],
      ...(sampleFormat === undefined ? [] : ['-sample_fmt', sampleFormat]),
      ...(bitrate === undefined ? [] : ['-b:a', `${bitrate}k`]),
      ...['-f', containers[name].muxer],
    );
  }

  async function expectPlain(source: string, cases: readonly FormatCase[]): Promise<void> {
    const answer = await container.call('POST', '/encode', {
      sourceUrl: container.fileUrl(source),
      parallel: false,
      outputs: cases.map(({ request }, index) => ({ ...request, uploadUrl: container.fileUrl(`out/${index}`) })),
    });
    expect(answer.body).toMatchObject({ success: true });
    const result = EncodeResult.parse(answer.body);
    for (const [index, output] of cases.entries()) {
      const { request, container: name, channels, sampleRate } = output;
      const made = file(`out/${index}`);
      const plain = await encodePlainly(source, output);
      const { format } = request;
      expect(result.outputs[index]).toMatchObject({ ...(format && { format }), container: name, channels, sampleRate });
      expect(result.outputs[index]?.streams).toMatchObject([{ kind: 'audio', channels, sampleRate }]);
      expect((await samplesOf(made, 8000)).length, JSON.stringify(request)).toBe((await samplesOf(plain, 8000)).length);
      expect(await pcmDigest(made, 's16le'), JSON.stringify(request)).toBe(await pcmDigest(plain, 's16le'));
      // docs/reference/encode.md, promises 50 ms.
      expect(Math.abs((result.outputs[index]?.duration ?? 0) - result.source.duration)).toBeLessThanOrEqual(0.05);
    }
  }

  return { container, file, expectPlain };
}

/** Tests every format that can have so many channels. */
export function testFormats({ expectPlain }: FormatCases, channels: number, kind: 'music' | 'moment'): void {
  const names = (Object.keys(formats) as FormatBase[]).filter(
    (name) =>
      channels <= audioCodecFacts(formats[name].codec).maxChannels &&
      // ffmpeg 5.1 does not recognise some E-AC-3 files of fewer than 400 bytes, its own included.
      (name !== 'eac3' || kind !== 'moment'),
  );
  test.each(names)(
    `makes %s of ${channels} channels (${kind}) with exactly the samples of plain ffmpeg`,
    async (name) => {
      await expectPlain(`${kind}-${channels}.wav`, casesFor(name, channels));
    },
  );
}
