import { beforeAll, describe, expect, test } from 'vitest';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { pixelsOf } from '../../../support/media-files.ts';

const service = await useEncodes();
const { encode, make, outputFile } = service;

describe('spectrograms', () => {
  beforeAll(async () => {
    const tones = '0.5*sin(2*PI*t*(2000+6000*gte(t\\,1)))';
    await make('tones.mp3', '-f', 'lavfi', '-i', `aevalsrc=${tones}|${tones}:s=32000:d=2`, '-b:a', '192k');
  });

  test('draws each tone of a spectrogram at its time and frequency', async () => {
    const [width, height] = [300, 200];
    const answer = await encode('tones.mp3', [{ image: 'spectrogram', width, height }, { image: 'spectrogram' }]);
    const [output, byDefault] = EncodeResult.parse(answer.body).outputs;
    expect(output).toMatchObject({ image: 'spectrogram', contentType: 'image/png', width, height, sampleRate: 32_000 });
    expect(byDefault).toMatchObject({ width: 1800, height: 512 });
    const pixels = await pixelsOf(outputFile('tones.mp3'), 'gray');
    expect(pixels).toHaveLength(width * height);
    const brightestRow = (column: number): number => {
      const rows = Array.from({ length: height }, (_, row) => pixels[row * width + column] ?? 0);
      return rows.indexOf(Math.max(...rows));
    };
    // Rows go from 0 Hz at the bottom to 16 kHz at the top. An mp3 decodes a little longer than its source.
    for (const column of [20, 75, 130]) expect(Math.abs(brightestRow(column) - 175)).toBeLessThanOrEqual(1);
    for (const column of [170, 225, 280]) expect(Math.abs(brightestRow(column) - 100)).toBeLessThanOrEqual(1);
  });

  test.each([
    { image: 'spectrogram', colors: { background: '#ffffff' } },
    { image: 'spectrogram', imageFormat: 'svg' },
    { image: 'spectrogram', height: 4096 },
  ] as const)('rejects the spectrogram %j', async (request) => {
    expect((await encode('tones.mp3', [request])).status).toBe(400);
  });
});
