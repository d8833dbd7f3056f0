import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import { meterOf } from '../../../media/meter.ts';
import { makeMedia } from '../../../support/media-files.ts';
import { testFormats, useFormatCases } from './format-cases.ts';

// Every format at the edges of its ranges, in stereo; formats.matrix.test.ts has the other channels and containers.

const cases = await useFormatCases();
const { container, file } = cases;

testFormats(cases, 2, 'music');

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
