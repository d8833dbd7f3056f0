import { describe, expect, test } from 'vitest';
import { useEncodes } from '../../../support/encodes.ts';
import { pcmDigest } from '../../../support/media-files.ts';
import { rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { encode, expectNothingUploaded, expectTrue, file, make, outputFile } = service;

async function makeTiny(name: string, samples: number, sampleRate: number): Promise<void> {
  const filters = `aresample=${sampleRate},atrim=start_sample=2000:end_sample=${2000 + samples}`;
  await make(name, ...service.fromMusic(), '-af', filters, '-ar', String(sampleRate));
}

describe.each(rowsExcept([3, 2], [1, 2, 3]))('a WAV of %i samples', (samples) => {
  test.each([8000, 44_100, 48_000])(
    'encodes a WAV of a few samples at %i Hz if no rate has to change',
    async (sampleRate) => {
      const name = `${samples}-${sampleRate}.wav`;
      await makeTiny(name, samples, sampleRate);
      const requests = ['wav', 'flac', 'alac', 'mp3_64', 'aac_64'].map((format) => ({ format, sampleRate }));
      await expectTrue(name, await encode(name, requests), requests, ['pcm_s16le', 'flac', 'alac', 'mp3', 'aac']);
      for (const index of [0, 1, 2])
        expect(await pcmDigest(outputFile(name, index), 's16le')).toBe(await pcmDigest(file(name), 's16le'));
    },
  );

  test.each([
    ['with another output', [{ format: 'wav' }, { format: 'opus_64' }], /too short for the output opus_64: .*48000 Hz/],
    ['alone', [{ format: 'opus_64' }], /has no sound: .*too short for one sample/],
  ])('rejects a WAV that is too short for a rate that leaves no sample: %s', async (what, requests, sentence) => {
    const name = `short-${samples}-${what}.wav`;
    await makeTiny(name, samples, 8000);
    const answer = await encode(name, requests);
    expect(answer).toMatchObject({ status: 422, body: { code: 'undecodable_source' } });
    expect(answer.body.error).toMatch(sentence);
    await expectNothingUploaded(name);
  });
});

// 4096 samples at 44.1 kHz take 0.0928798 s, which ffprobe rounds up to six decimals.
test.each(rowsExcept([8192], [4096, 8192, 24_576]))(
  'encodes ALAC whose last packet is full: %i samples',
  async (samples) => {
    const name = `full-${samples}.wav`;
    await makeTiny(name, samples, 44_100);
    await expectTrue(name, await encode(name, [{ format: 'alac' }]), [{ format: 'alac' }], ['alac']);
  },
);
