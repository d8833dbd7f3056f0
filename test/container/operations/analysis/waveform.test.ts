import { readFile, stat } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { pixelsOf, rawSamplesOf, sha256Of } from '../../../support/media-files.ts';

const service = await useEncodes();
const { encode, encoded, file, make, outputFile } = service;

interface Bars {
  /** Row, counted from the top. */
  top: number;
  bottom: number;
}

/** Place of each column's bar, from plain ffmpeg's samples. */
async function expectedBars(path: string, channels: number, channel: number | 'mean', width: number, band: Bars) {
  const samples = await rawSamplesOf(path, 'f32le');
  const frames = samples.length / channels;
  const values = Array.from({ length: frames }, (_, frame) => {
    const all = samples.subarray(frame * channels, (frame + 1) * channels);
    return channel === 'mean' ? all.reduce((sum, value) => sum + value, 0) / channels : (all[channel] ?? 0);
  });
  const middle = (band.top + band.bottom) / 2;
  const half = (band.bottom - band.top) / 2;
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * frames) / width);
    const to = Math.max(from + 1, Math.floor(((column + 1) * frames) / width));
    const own = values.slice(from, to);
    return { top: middle - Math.max(...own) * half, bottom: middle - Math.min(...own) * half };
  });
}

/** Bars as drawn: rows of one color in each column. */
function drawnBars(pixels: Buffer, width: number, rows: Bars, color: number): Bars[] {
  return Array.from({ length: width }, (_, column) => {
    const isBar = (row: number): boolean => pixels.readUInt32BE((row * width + column) * 4) === color;
    const own = Array.from({ length: rows.bottom - rows.top }, (_, row) => rows.top + row).filter(isBar);
    const bar = { top: own[0] ?? Number.NaN, bottom: (own.at(-1) ?? Number.NaN) + 1 };
    // A bar has no gap.
    expect(own).toHaveLength(bar.bottom - bar.top);
    return bar;
  });
}

describe('waveforms', () => {
  beforeAll(async () => {
    const beep = 'aevalsrc=0.8*sin(2*PI*440*t)*between(t\\,1\\,2)';
    await make('beep.wav', '-f', 'lavfi', '-i', `${beep}|-0.5*between(t\\,2\\,3):s=8000:d=4`, '-c:a', 'pcm_f32le');
    await make('one.wav', '-f', 'lavfi', '-i', 'aevalsrc=0.5:s=8000', '-frames:a', '1', '-af', 'atrim=end_sample=1');
  });

  const red = 0xff_00_00_ff;
  const night = 0x00_00_20_80;
  const colors = { waveform: '#FF0000', background: '#00002080' };

  test('draws only the bars of the samples in a PNG, each in its column', async () => {
    const [width, height] = [397, 101];
    const requests: DescribedOutput[] = [
      { image: 'waveform', width, height, colors },
      { image: 'waveform', width, height, colors, splitChannels: true },
    ];
    const answer = await encode('beep.wav', requests);
    expect(answer).toMatchObject({ status: 200 });
    const path = outputFile('beep.wav');
    expect(answer.body['outputs']).toEqual([
      {
        ...{ image: 'waveform', contentType: 'image/png', width, height, duration: 4, channels: 2, sampleRate: 8000 },
        ...{ size: (await stat(path)).size, sha256: await sha256Of(path) },
      },
      expect.objectContaining({ image: 'waveform', width, height }),
    ]);
    const [mean, split] = await Promise.all([pixelsOf(path, 'rgba'), pixelsOf(outputFile('beep.wav', 1), 'rgba')]);
    expect(mean).toHaveLength(width * height * 4);
    const cases = [
      { pixels: mean, channel: 'mean', band: { top: 0, bottom: height } },
      { pixels: split, channel: 0, band: { top: 0, bottom: height / 2 } },
      { pixels: split, channel: 1, band: { top: height / 2, bottom: height } },
    ] as const;
    for (const { pixels, channel, band } of cases) {
      const rows = { top: Math.ceil(band.top), bottom: Math.floor(band.bottom) };
      const drawn = drawnBars(pixels, width, rows, red);
      const wanted = await expectedBars(file('beep.wav'), 2, channel, width, band);
      for (const [column, { top, bottom }] of drawn.entries()) {
        expect(Math.abs(top - (wanted[column]?.top ?? 0))).toBeLessThanOrEqual(1);
        expect(Math.abs(bottom - (wanted[column]?.bottom ?? 0))).toBeLessThanOrEqual(1);
      }
      const barPixels = drawn.reduce((sum, { top, bottom }) => sum + bottom - top, 0);
      let others = 0;
      for (let pixel = rows.top * width; pixel < rows.bottom * width; pixel += 1) {
        if (pixels.readUInt32BE(pixel * 4) === night) others += 1;
      }
      expect(others + barPixels).toBe(width * (rows.bottom - rows.top));
    }
    // The tone fills the second of four seconds; silence is a line of one pixel.
    const silent = drawnBars(split, width, { top: 0, bottom: 50 }, red).map(({ top, bottom }) => bottom - top === 1);
    expect(
      silent.map((isSilent, column) => (isSilent ? undefined : column)).filter((column) => column !== undefined),
    ).toEqual(Array.from({ length: 100 }, (_, column) => 99 + column));
  });

  test('draws the same waveform as a well-formed SVG', async () => {
    const [width, height] = [40, 20];
    await encode('beep.wav', [{ image: 'waveform', imageFormat: 'svg', width, height, colors }]);
    const svg = await readFile(outputFile('beep.wav'), 'utf8');
    const parts =
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="40" height="20" viewBox="0 0 40 20" preserveAspectRatio="none"><rect width="40" height="20" fill="#000020" fill-opacity="0\.502"\/><path d="([MHVZ0-9. ]+)" fill="#ff0000"\/><\/svg>\n$/.exec(
        svg,
      );
    expect(parts, svg).not.toBeNull();
    const wanted = await expectedBars(file('beep.wav'), 2, 'mean', width, { top: 0, bottom: height });
    // The outline runs right along the tops, and back along the bottoms.
    const found = wanted.map(() => ({ top: Number.NaN, bottom: Number.NaN }));
    let [x, y] = [0, 0];
    for (const [, command, figures = ''] of (parts?.[1] ?? '').matchAll(/([MHVZ])([0-9. ]*)/g)) {
      const numbers = figures.split(' ').map(Number);
      const before = x;
      if (command === 'M') [x = 0, y = 0] = numbers;
      if (command === 'V') [y = 0] = numbers;
      if (command === 'H') [x = 0] = numbers;
      for (let column = before; column < x; column += 1) Object.assign(found[column] ?? {}, { top: y });
      for (let column = x; column < before; column += 1) Object.assign(found[column] ?? {}, { bottom: y });
    }
    for (const [column, { top, bottom }] of found.entries()) {
      expect(Math.abs(top - (wanted[column]?.top ?? 0))).toBeLessThanOrEqual(0.51);
      expect(Math.abs(bottom - (wanted[column]?.bottom ?? 0))).toBeLessThanOrEqual(0.51);
    }
  });

  test('draws a waveform of one sample, and of one pixel', async () => {
    await encoded('one.wav', [
      { image: 'waveform', width: 5, height: 8, colors },
      { image: 'waveform', width: 1, height: 1 },
      { image: 'waveform', imageFormat: 'svg', width: 1, height: 1 },
    ]);
    const pixels = await pixelsOf(outputFile('one.wav'), 'rgba');
    expect(drawnBars(pixels, 5, { top: 0, bottom: 8 }, red)).toEqual(
      Array.from({ length: 5 }, () => ({ top: 1, bottom: 2 })),
    );
    expect(await pixelsOf(outputFile('one.wav', 1), 'rgba')).toEqual(Buffer.from([0x3f, 0x4d, 0x9b, 255]));
  });

  test('draws a waveform of 1800 x 280 pixels by default', async () => {
    const answer = await encode('beep.wav', [{ image: 'waveform' }]);
    expect(answer).toMatchObject({ body: { outputs: [{ width: 1800, height: 280, contentType: 'image/png' }] } });
    const pixels = await pixelsOf(outputFile('beep.wav'), 'rgba');
    expect([...pixels.subarray(0, 4)]).toEqual([255, 255, 255, 255]);
  });
});

describe('impossible images', () => {
  test.each<[object, string]>([
    [{ image: 'waveform', width: 100_000 }, 'outputs.0.width'],
    [{ image: 'waveform', height: 0 }, 'outputs.0.height'],
    [{ image: 'waveform', width: 1.5 }, 'outputs.0.width'],
    [{ image: 'waveform', colors: { waveform: 'red' } }, 'outputs.0.colors.waveform'],
    [{ image: 'waveform', colors: { background: '#ffffff" onload="alert(1)' } }, 'outputs.0.colors.background'],
    [{ image: 'waveform', colors: { background: '#fff\n#ffffff' } }, 'outputs.0.colors.background'],
    [{ image: 'waveform', colors: { bars: '#ffffff' } }, 'outputs.0.colors'],
    [{ image: 'waveform', imageFormat: 'gif' }, 'outputs.0.imageFormat'],
    [{ image: 'waveform', zoom: 256 }, 'outputs.0.zoom'],
    [{ image: 'waveform', loudness: 'podcast' }, 'outputs.0.loudness'],
    [{ image: 'waveform', metadata: { title: 'x' } }, 'outputs.0.metadata'],
    [{ image: 'waveform', format: 'mp3_128' }, 'outputs.0.format'],
    [{ image: 'waveform', analysis: 'peaks' }, 'outputs.0.image'],
    [{ image: 'portrait' }, 'outputs.0.image'],
    [{ analysis: 'peaks', zoom: 1 }, 'outputs.0.zoom'],
    [{ analysis: 'peaks', bits: 12 }, 'outputs.0.bits'],
    [{ analysis: 'peaks', width: 100 }, 'outputs.0.width'],
    [{ analysis: 'peaks', audio: { bitrate: 64 } }, 'outputs.0.audio'],
    [{ analysis: 'peaks', preset: 'podcast-aac' }, 'outputs.0.preset'],
    [{ format: 'mp3_128', zoom: 256 }, 'outputs.0.zoom'],
    [{ format: 'mp3_128', colors: {} }, 'outputs.0.colors'],
  ])('rejects %j before the source is fetched', async (output, field) => {
    const answer = await encode('not-there.wav', [output]);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(JSON.stringify(answer.body)).toContain(field);
  });
});
