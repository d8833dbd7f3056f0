import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OutputRequest } from '../../../container/encode/output-plan.ts';
import { audioCodecFacts, audioCodecs, containers, encodingOf, type AudioCodec } from '../../../contract/formats.ts';
import { EncodeResult } from '../../../contract/http/encode.ts';
import { TestContainer } from '../../support/container.ts';
import { musicOgg } from '../../support/media.ts';
import { makeMedia, pcmDigest, samplesOf } from './media-files.ts';

// Every format of the table, a new one too, at the edges of what the table says of it, beside plain ffmpeg of the same settings.

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

/** The lowest and the highest bitrate of the table, at its lowest and its highest sample rate. */
function requestsFor(codec: AudioCodec, channels: number): OutputRequest[] {
  const { sampleRates, bitrates } = audioCodecFacts(codec);
  const rates = sampleRates ?? [8000, 44_100, 96_000];
  const chosen = new Set([rates[0], rates.at(-1)]);
  return [...chosen].flatMap((sampleRate = 0): OutputRequest[] => {
    if (bitrates === undefined) return [{ format: codec, channels, sampleRate }];
    const allowed = bitrates(channels, sampleRate);
    const edges = 'min' in allowed ? [allowed.min, allowed.max] : [allowed[0], allowed.at(-1)];
    return [...new Set(edges)].map((bitrate) => ({ format: `${codec}_${bitrate}`, channels, sampleRate }));
  });
}

async function encodePlainly(source: string, request: OutputRequest, codec: AudioCodec): Promise<string> {
  const { encoder, sampleFormat } = encodingOf(codec, 16);
  const { channelLayouts, container: name } = audioCodecFacts(codec);
  const bitrate = request.format.split('_')[1];
  return await makeMedia(
    container.mediaRoot,
    'plain',
    ...['-i', file(source), '-map_metadata', '-1'],
    ...['-af', `aresample=async=1,aformat=channel_layouts=${channelLayouts[(request.channels ?? 1) - 1]}`],
    ...['-ar', String(request.sampleRate), '-c:a', encoder],
    ...(sampleFormat === undefined ? [] : ['-sample_fmt', sampleFormat]),
    ...(bitrate === undefined ? [] : ['-b:a', `${bitrate}k`]),
    ...['-f', containers[name].muxer],
  );
}

const sources = [
  [1, 'music'],
  [2, 'music'],
  [6, 'music'],
  // Shorter than some frames.
  [2, 'moment'],
] as const;
const cases = (Object.keys(audioCodecs) as AudioCodec[]).flatMap((codec) =>
  sources.map(([channels, kind]) => [codec, channels, kind] as const),
);

describe('every format of the table', () => {
  test.each(cases.filter(([codec, channels]) => channels <= audioCodecs[codec].maxChannels))(
    '%s of %i channels (%s) is sample for sample what plain ffmpeg makes of it',
    async (codec, channels, kind) => {
      const source = `${kind}-${channels}.wav`;
      const requests = requestsFor(codec, channels);
      const answer = await container.call('POST', '/encode', {
        sourceUrl: container.fileUrl(source),
        parallel: false,
        outputs: requests.map((request, index) => ({
          ...request,
          uploadUrl: container.fileUrl(`out/${codec}-${index}`),
        })),
      });
      expect(answer.body).toMatchObject({ success: true });
      const result = EncodeResult.parse(answer.body);
      for (const [index, request] of requests.entries()) {
        const { container: name } = audioCodecs[codec];
        expect(result.outputs[index]).toMatchObject({ ...request, container: name, streams: [{ kind: 'audio' }] });
        const made = file(`out/${codec}-${index}`);
        const plain = await encodePlainly(source, request, codec);
        expect((await samplesOf(made, 8000)).length, request.format).toBe((await samplesOf(plain, 8000)).length);
        expect(await pcmDigest(made, 's16le'), request.format).toBe(await pcmDigest(plain, 's16le'));
        // docs/contract.md, "Encode": within 50 ms.
        expect(Math.abs((result.outputs[index]?.duration ?? 0) - result.source.duration)).toBeLessThanOrEqual(0.05);
      }
    },
  );
});
