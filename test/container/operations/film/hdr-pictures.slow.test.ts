import { expect, test } from 'vitest';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import {
  type Coding,
  expectedKept,
  expectedSdr,
  patchSide,
  pixelsAt,
  signalOf,
  transfers,
  type Triple,
  writePatches,
} from './hdr-colours.ts';
import { probe } from '../../../support/media-files.ts';
import { rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { encode, encoded, make, outputFile } = service;

const nearlyLossless = { codec: 'h264', speed: 'fast', crf: 1 } as const;
const bt709 = { color_space: 'bt709', color_primaries: 'bt709', color_transfer: 'bt709', color_range: 'tv' };

/** Light of BT.709's primaries in cd/m²: greys up to paper white (203) and highlights, and colour bars. */
const patches: Triple[] = [
  ...([0, 1, 10, 26, 50, 100, 203, 500, 1000].map((nits) => [nits, nits, nits]) as unknown as Triple[]),
  ...([150, 20].flatMap((nits) => [
    [nits, 5, 5],
    [5, nits, 5],
    [5, 5, nits],
    [nits, nits, 5],
    [5, nits, nits],
    [nits, 5, nits],
  ]) as unknown as Triple[]),
];
const centres = patches.map((_, index) => [index * patchSide + patchSide / 2, patchSide / 2] as const);

const tags = (transfer: string): string[] => [
  ...['-color_primaries', 'bt2020', '-color_trc', transfer, '-colorspace', 'bt2020nc', '-color_range', 'tv'],
];
const hevc = (transfer: string, light: string): string[] => [
  ...['-pix_fmt', 'yuv420p10le', '-c:v', 'libx265', '-preset', 'ultrafast'],
  ...[
    '-x265-params',
    `log-level=error:lossless=1:hdr10=1:colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc${light}`,
  ],
  ...tags(transfer),
];

test.each(
  rowsExcept(['HDR10 that says what screen it was made on', 'HDR10 that says neither'], [
    [
      'HDR10 that says how bright its brightest pixel is',
      'pq',
      ':master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(40000000,50):max-cll=1200,300',
      1200,
    ],
    [
      'HDR10 that says what screen it was made on',
      'pq',
      ':master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(40000000,50)',
      4000,
    ],
    ['HDR10 that says neither', 'pq', '', 1000],
    ['HLG', 'hlg', '', 1000],
  ] as const),
)('maps %s to the colours that the reference computes', async (_, kind, light, peak) => {
  const transfer = transfers[kind];
  const signals = patches.map((nits) => signalOf(transfer, nits));
  const source = `${kind}-${peak}-${light.length}.mp4`;
  const raw = await writePatches(service.file('patches.raw'), signals);
  await make(source, ...raw, ...hevc(transfer.name, light), '-tag:v', 'hvc1');
  await encoded(source, [
    { container: 'mp4', video: { ...nearlyLossless, hdr: 'sdr' } },
    { container: 'mkv', video: { ...nearlyLossless, hdr: 'sdr', pixelFormat: 'yuv444p' } },
  ]);
  for (const index of [0, 1]) {
    const path = outputFile(source, index);
    const found = await pixelsAt(path, centres);
    const far = found.map((pixel, place) => {
      const wanted = expectedSdr(transfer, signals[place] ?? [0, 0, 0], peak);
      return Math.max(...pixel.map((value, component) => Math.abs(value - (wanted[component] ?? NaN))));
    });
    // The tolerance covers the encoder's error and rounding.
    expect(Math.max(...far), far.map((one) => one.toFixed(1)).join(' ')).toBeLessThanOrEqual(2);
    const { streams } = await probeAll(path);
    expect(streams).toMatchObject([{ ...bt709, pix_fmt: index === 0 ? 'yuv420p' : 'yuv444p' }]);
    const shown = await probe(path, '-show_streams', '-show_frames', '-read_intervals', '%+#1');
    expect(JSON.stringify(shown)).not.toMatch(/Mastering|Content light|smpte2084|arib|bt2020/i);
  }
});

/** Largest error of a colour component. */
const farthest = (found: readonly Triple[], wanted: readonly Triple[]): number =>
  Math.max(
    ...found.map((pixel, place) =>
      Math.max(...pixel.map((value, component) => Math.abs(value - (wanted[place]?.[component] ?? NaN)))),
    ),
  );

test.each<[string, 'pq' | 'hlg', Coding, string[]]>(
  rowsExcept(
    ['HLG of the full range', 'PQ of the full range', 'HLG in red, green and blue'],
    [
      [
        'PQ of the full range',
        'pq',
        'full',
        ['-pix_fmt', 'yuv444p10le', '-colorspace', 'bt2020nc', '-color_range', 'pc'],
      ],
      [
        'HLG of the full range',
        'hlg',
        'full',
        ['-pix_fmt', 'yuv444p10le', '-colorspace', 'bt2020nc', '-color_range', 'pc'],
      ],
      ['PQ in red, green and blue', 'pq', 'rgb', ['-pix_fmt', 'gbrp10le', '-colorspace', 'rgb']],
      ['HLG in red, green and blue', 'hlg', 'rgb', ['-pix_fmt', 'gbrp10le', '-colorspace', 'rgb']],
    ],
  ),
)('keeps the colours of %s, and maps them to those of the reference', async (_, kind, coding, format) => {
  const transfer = transfers[kind];
  const signals = patches.map((nits) => signalOf(transfer, nits, coding));
  const source = `${kind}-${coding}.mkv`;
  const raw = await writePatches(service.file('patches.raw'), signals, coding);
  await make(source, ...raw, '-c:v', 'ffv1', ...format, '-color_primaries', 'bt2020', '-color_trc', transfer.name);
  await encoded(source, [
    { container: 'mp4', video: { ...nearlyLossless, hdr: 'sdr', pixelFormat: 'yuv444p' } },
    { container: 'mp4', video: { ...nearlyLossless, hdr: 'keep', pixelFormat: 'yuv444p10le' } },
  ]);
  const [mapped, kept] = await Promise.all(
    [0, 1].map(async (index) => await pixelsAt(outputFile(source, index), centres)),
  );
  const wanted = signals.map((signal) => expectedSdr(transfer, signal, 1000, coding));
  expect(farthest(mapped ?? [], wanted), JSON.stringify([mapped, wanted])).toBeLessThanOrEqual(2);
  const same = signals.map((signal) => expectedKept(signal, coding));
  expect(farthest(kept ?? [], same), JSON.stringify([kept, same])).toBeLessThanOrEqual(2);
  const [sdr, hdr] = await Promise.all(
    [0, 1].map(async (index) => (await probeAll(outputFile(source, index))).streams),
  );
  expect(sdr).toMatchObject([bt709]);
  const keptTags = {
    color_space: 'bt2020nc',
    color_primaries: 'bt2020',
    color_transfer: transfer.name,
    color_range: 'tv',
  };
  expect(hdr).toMatchObject([keptTags]);
});

test('keeps high dynamic range in 10 bits, and never drops it silently', async () => {
  const raw = await writePatches(service.file('patches.raw'), [signalOf(transfers.hlg, [203, 203, 203])]);
  await make('hlg.mp4', ...raw, ...hevc('arib-std-b67', ''), '-tag:v', 'hvc1');
  const unsaid = await encode('hlg.mp4', [{ container: 'mp4', video: { codec: 'h264' } }]);
  expect(unsaid.body).toMatchObject({
    code: 'unsupported_format',
    error:
      'The output mp4_h264 cannot be made: the source is in high dynamic range (HLG), which needs 10 bits; use "hdr": "sdr" for standard dynamic range, or "hdr": "keep" without a pixelFormat of 8 bits.',
  });
  const hlgTags = { color_space: 'bt2020nc', color_primaries: 'bt2020', color_transfer: 'arib-std-b67' };
  await encoded('hlg.mp4', [
    { container: 'mp4', video: { ...nearlyLossless, hdr: 'keep' } },
    { container: 'mkv', video: { ...nearlyLossless, pixelFormat: 'yuv422p10le', width: 64, height: 64, pad: 'black' } },
    { container: 'mp4', video: { ...nearlyLossless, hdr: 'sdr', width: 96, height: 64, fit: 'blur' } },
  ]);
  const streamOf = async (index: number) => (await probeAll(outputFile('hlg.mp4', index))).streams;
  expect(await streamOf(0)).toMatchObject([{ pix_fmt: 'yuv420p10le', ...hlgTags }]);
  expect(await streamOf(1)).toMatchObject([{ pix_fmt: 'yuv422p10le', height: 64, ...hlgTags }]);
  const [picture] = await pixelsAt(outputFile('hlg.mp4', 2), [[48, 32]]);
  const grey = expectedSdr(transfers.hlg, signalOf(transfers.hlg, [203, 203, 203]), 1000).map(Math.round);
  expect(picture?.map((value, index) => Math.abs(value - (grey[index] ?? NaN)) <= 1)).toEqual([true, true, true]);
});

test('recognises HLG that only a message beside the pictures states, as in broadcasts', async () => {
  const signal = signalOf(transfers.hlg, [203, 203, 203]);
  const raw = await writePatches(service.file('patches.raw'), [signal]);
  const path = await make('broadcast.mp4', ...raw, ...hevc('bt2020-10', ':atc-sei=18'), '-tag:v', 'hvc1');
  expect((await probeAll(path)).streams).toMatchObject([{ color_transfer: 'bt2020-10' }]);
  await encoded('broadcast.mp4', [
    { container: 'mp4', video: { ...nearlyLossless, hdr: 'keep' } },
    { container: 'mp4', video: { ...nearlyLossless, hdr: 'sdr' } },
    { container: 'mp4', video: { codec: 'hevc', copy: true } },
  ]);
  const [kept, mapped, copied] = await Promise.all(
    [0, 1, 2].map(async (index) => (await probeAll(outputFile('broadcast.mp4', index))).streams),
  );
  expect(kept).toMatchObject([{ pix_fmt: 'yuv420p10le', color_transfer: 'arib-std-b67' }]);
  expect(mapped).toMatchObject([{ pix_fmt: 'yuv420p', ...bt709 }]);
  expect(copied).toMatchObject([{ codec_name: 'hevc', color_transfer: 'bt2020-10' }]);
  const [found = [NaN]] = await pixelsAt(outputFile('broadcast.mp4', 1), [[patchSide / 2, patchSide / 2]]);
  const grey = expectedSdr(transfers.hlg, signal, 1000);
  expect(Math.max(...found.map((value, index) => Math.abs(value - (grey[index] ?? NaN))))).toBeLessThanOrEqual(2);
});
