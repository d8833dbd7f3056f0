import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { audioCodecFacts, encodingOf, type AudioCodec, type SampleKind } from '../../../../contract/audio-codecs.ts';
import { containers, type ContainerName, type FormatBase, formats } from '../../../../contract/formats.ts';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import { TestContainer } from '../../../support/container.ts';
import { meterOf } from '../../../media/meter.ts';
import { musicOgg } from '../../../support/media.ts';
import { makeMedia, pcmDigest, samplesOf } from '../../../support/media-files.ts';

// Every format of the table, at the edges of its ranges, is compared with plain ffmpeg of the same settings.

let container: TestContainer;

beforeAll(async () => {
  container = await TestContainer.start();
  for (const channels of [1, 2, 6]) {
    const options = ['-i', musicOgg, '-t', '3', '-ac', String(channels), '-c:a', 'pcm_s16le'];
    await makeMedia(container.mediaRoot, `music-${channels}.wav`, ...options);
    await makeMedia(container.mediaRoot, `moment-${channels}.wav`, ...options, '-t', '0.05');
  }
});

afterAll(() => container.stop());

const file = (name: string) => join(container.mediaRoot, name);

interface Case {
  request: DescribedOutput;
  container: ContainerName;
  codec: AudioCodec;
  bitrate?: number;
  channels: number;
  sampleRate: number;
}

/** The lowest and highest bitrate at the lowest and highest sample rate. */
function casesFor(name: FormatBase, channels: number): Case[] {
  const { container: held, codec } = formats[name];
  const { sampleRates, bitrates } = audioCodecFacts(codec);
  const rates = sampleRates ?? [8000, 44_100, 96_000];
  const chosen = new Set([rates[0], rates.at(-1)]);
  return [...chosen].flatMap((sampleRate = 0): Case[] => {
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

async function encodePlainly(source: string, output: Case, samples: SampleKind = 16): Promise<string> {
  const { container: name, codec, bitrate, channels, sampleRate } = output;
  const { encoder, sampleFormat } = encodingOf(codec, samples);
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

async function expectPlain(source: string, cases: readonly Case[]): Promise<void> {
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

const sources = [
  [1, 'music'],
  [2, 'music'],
  [6, 'music'],
  // A moment is shorter than some frames.
  [2, 'moment'],
] as const;
// ffmpeg 5.1 does not recognise some E-AC-3 files of fewer than 400 bytes, its own included.
const formatCases = (Object.keys(formats) as FormatBase[]).flatMap((name) =>
  sources
    .filter(([, kind]) => name !== 'eac3' || kind !== 'moment')
    .map(([channels, kind]) => [name, channels, kind] as const),
);

describe('formats of the table', () => {
  test.each(formatCases.filter(([name, channels]) => channels <= audioCodecFacts(formats[name].codec).maxChannels))(
    'makes %s of %i channels (%s) with exactly the samples of plain ffmpeg',
    async (name, channels, kind) => await expectPlain(`${kind}-${channels}.wav`, casesFor(name, channels)),
  );
});

const lossyCase = { bitrate: 128, channels: 2, sampleRate: 48_000 };
const losslessCase = { channels: 2, sampleRate: 48_000 };

describe('containers of the table', () => {
  // Containers of pictures hold sound only beside pictures.
  test.each((Object.keys(containers) as ContainerName[]).filter((name) => !('needsVideo' in containers[name])))(
    'puts each codec of %s into it with exactly the samples of plain ffmpeg',
    async (name) => {
      const cases = containers[name].audioCodecs.map((codec): Case => {
        const shape = audioCodecFacts(codec).bitrates === undefined ? losslessCase : lossyCase;
        return { request: { container: name, audio: { codec, ...shape } }, container: name, codec, ...shape };
      });
      // A request has at most 8 outputs.
      for (let at = 0; at < cases.length; at += 8) await expectPlain('music-2.wav', cases.slice(at, at + 8));
    },
  );
});

const generate = async (name: string, graph: string, ...options: string[]): Promise<void> =>
  void (await makeMedia(container.mediaRoot, name, '-f', 'lavfi', '-i', graph, ...options));

async function encode(source: string, outputs: readonly DescribedOutput[]): Promise<EncodeResult> {
  const answer = await container.call('POST', '/encode', {
    sourceUrl: container.fileUrl(source),
    outputs: outputs.map((output, index) => ({ ...output, uploadUrl: container.fileUrl(`out/${index}`) })),
  });
  expect(answer.body).toMatchObject({ success: true });
  return EncodeResult.parse(answer.body);
}

test('adds only the padding of the encoder to a file that cannot mark it, at low rates too', async () => {
  await generate('16000.wav', 'sine=r=16000:d=1.2');
  const low = await encode('16000.wav', [
    { container: 'mka', audio: { codec: 'aac', bitrate: 24 } },
    { container: 'mka', audio: { codec: 'mp3', bitrate: 32 } },
  ]);
  for (const { duration = 0 } of low.outputs) expect(duration - 1.2).toBeLessThan(0.15);
  // The last packet of AC-3 contains one sample of this source.
  await generate('32000.wav', 'sine=r=32000', '-af', 'atrim=end_sample=30465');
  const full = await encode('32000.wav', [
    { format: 'ac3_96' },
    { container: 'mka', audio: { codec: 'ac3', bitrate: 96 } },
  ]);
  for (const { duration = 0 } of full.outputs) expect(duration - 30_465 / 32_000).toBeLessThan(0.06);
});

test('makes a larger file for each higher Vorbis quality, also below 0', async () => {
  await generate('noise.wav', 'anoisesrc=c=pink:d=2:a=0.3:seed=1');
  const qualities = [-1, -0.5, 0, 4.5, 10];
  const { outputs } = await encode(
    'noise.wav',
    qualities.map((quality) => ({ container: 'ogg', audio: { codec: 'vorbis', quality } })),
  );
  const sizes = outputs.map(({ size }) => size);
  expect(sizes).toEqual([...new Set(sizes)].toSorted((one, other) => one - other));
});

test('does not clip when as many channels go to other speakers', async () => {
  const four =
    "aevalsrc='0.9*sin(2*PI*440*t)|0.9*sin(2*PI*440*t)|0.9*sin(2*PI*440*t)|0.9*sin(2*PI*440*t)':d=1:c=4.0:s=48000";
  await generate('four.wav', four, '-c:a', 'pcm_f32le');
  await encode('four.wav', [{ container: 'mka', audio: { codec: 'opus', bitrate: 256 } }]);
  expect((await meterOf(file('out/0'))).truePeak).toBeLessThan(0);
});
