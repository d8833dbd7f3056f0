import { open, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import { makeMedia, probe, samplesOf } from '../../../support/media-files.ts';
import {
  clapFilm,
  clicksOf,
  flashesOf,
  motion,
  pictureHashes,
  pictureTimes,
  plainScaler,
  quickH264,
  tone,
} from '../../../support/films.ts';
import { rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { encode, encoded, make, outputFile } = service;

const nearlyLossless = { codec: 'h264', speed: 'fast', crf: 1 } as const;
const output = { container: 'mp4', video: nearlyLossless } as const;

const scale = (size: string): string => `${plainScaler(size)},setsar=1`;

async function plainHashes(source: string, filter: string, profile = 'high', format = 'yuv420p'): Promise<string[]> {
  const encoder = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '1', '-profile:v', profile, '-g', '250'];
  const options = ['-an', '-vf', `${filter},format=${format}`, '-fps_mode', 'passthrough', ...encoder, '-threads', '1'];
  return await pictureHashes(
    await make(`plain-${source}.mkv`, '-i', service.file(source), '-map', '0:V:0', ...options),
  );
}

const grid = (count: number, rate: number): number[] => Array.from({ length: count }, (_, index) => index / rate);
/** Times to the microsecond, as ffprobe prints them. */
const rounded = (times: readonly number[]): number[] => times.map((time) => Math.round(time * 1e6) / 1e6);

test.each<[string, string, string[], { count: number; rate?: number; size?: string; filter?: string }]>(
  rowsExcept(
    ['an open group of pictures', 'two pictures', '120 pictures a second', 'odd sides'],
    [
      ['one picture', 'one.mp4', [...motion(0.04), ...quickH264], { count: 1 }],
      ['two pictures', 'two.mkv', [...motion(0.08), ...quickH264], { count: 2 }],
      ['120 pictures a second', 'fast.mp4', [...motion(0.5, '120'), ...quickH264], { count: 60, rate: 120 }],
      [
        'interlaced fields',
        'fields.ts',
        [
          ...motion(0.8, '50', '160x96'),
          '-vf',
          'tinterlace=4',
          '-c:v',
          'mpeg2video',
          '-flags',
          '+ilme+ildct',
          '-q:v',
          '2',
        ],
        { count: 20, filter: `bwdif=mode=send_frame:deint=interlaced,${scale('160:96')}`, size: '160x96' },
      ],
      [
        'an open group of pictures',
        'open.ts',
        [...motion(1), ...quickH264, '-x264-params', 'open-gop=1:keyint=10:bframes=2'],
        { count: 25 },
      ],
      [
        'odd sides',
        'odd.mkv',
        [...motion(0.4), '-vf', 'scale=161:91,setsar=1', '-c:v', 'ffv1'],
        { count: 10, filter: scale('160:90') },
      ],
    ],
  ),
)(
  'keeps every picture of a source of %s in its place',
  async (_, source, args, { count, rate = 25, filter, size = '160x90' }) => {
    await make(source, ...args);
    await encoded(source, [output]);
    const path = outputFile(source);
    const [width, height] = size.split('x').map(Number);
    expect((await probeAll(path)).streams).toMatchObject([{ width, height, sample_aspect_ratio: '1:1' }]);
    expect(await pictureHashes(path)).toEqual(await plainHashes(source, filter ?? scale('160:90')));
    expect(await pictureTimes(path)).toEqual(rounded(grid(count, rate)));
  },
);

test.each(rowsExcept([180, 270], [90, 180, 270]))(
  'turns a film upright that declares a rotation of %i degrees',
  async (degrees) => {
    const source = `turned-${degrees}.mp4`;
    await make('straight.mp4', ...motion(0.4), ...quickH264);
    await make(source, '-i', service.file('straight.mp4'), '-c', 'copy', '-metadata:s:v:0', `rotate=${degrees}`);
    await encoded(source, [output]);
    const [width, height] = degrees === 180 ? [160, 90] : [90, 160];
    const { streams } = await probeAll(outputFile(source));
    expect(streams).toMatchObject([{ width, height }]);
    expect(streams[0]).not.toHaveProperty('side_data_list');
    expect(await pictureHashes(outputFile(source))).toEqual(await plainHashes(source, scale(`${width}:${height}`)));
  },
);

test('makes odd, non-square pictures of 10 bits square, and keeps their depth on request', async () => {
  await make('wide.mkv', ...motion(0.4), '-vf', 'scale=161:91,setsar=4/3', '-c:v', 'ffv1', '-pix_fmt', 'yuv422p10le');
  const deep = { container: 'mkv', video: { ...nearlyLossless, pixelFormat: 'yuv422p10le' } } as const;
  await encoded('wide.mkv', [output, deep]);
  const shape = { width: 214, height: 90, sample_aspect_ratio: '1:1' };
  expect((await probeAll(outputFile('wide.mkv', 0))).streams).toMatchObject([{ ...shape, pix_fmt: 'yuv420p' }]);
  expect((await probeAll(outputFile('wide.mkv', 1))).streams).toMatchObject([{ ...shape, pix_fmt: 'yuv422p10le' }]);
  const hashes = async (index: number) => await pictureHashes(outputFile('wide.mkv', index));
  expect(await hashes(0)).toEqual(await plainHashes('wide.mkv', scale('214:90')));
  expect(await hashes(1)).toEqual(await plainHashes('wide.mkv', scale('214:90'), 'high422', 'yuv422p10le'));
});

test('keeps sound that is longer than the pictures', async () => {
  const [pictures, sound] = [clapFilm(1).slice(0, 4), clapFilm(2).slice(4)];
  await make('longer.mkv', ...pictures, ...sound, ...quickH264, '-c:a', 'pcm_s16le');
  await encoded('longer.mkv', [output]);
  const path = outputFile('longer.mkv');
  expect(await pictureTimes(path)).toEqual(grid(25, 25));
  expect(await flashesOf(path)).toEqual([0.48]);
  expect(await clicksOf(path)).toEqual([expect.closeTo(0.48, 3), expect.closeTo(1.48, 3)]);
  expect((await samplesOf(path, 8000)).length / 8000).toBeCloseTo(2, 1);
});

test('keeps pictures that are longer than the sound', async () => {
  const [pictures, sound] = [clapFilm(2).slice(0, 4), clapFilm(1).slice(4)];
  await make('shorter.mkv', ...pictures, ...sound, ...quickH264, '-c:a', 'pcm_s16le');
  await encoded('shorter.mkv', [output]);
  expect(await flashesOf(outputFile('shorter.mkv'))).toEqual([0.48, 1.48]);
  expect(await clicksOf(outputFile('shorter.mkv'))).toEqual([expect.closeTo(0.48, 3)]);
});

test.each(
  rowsExcept(
    ['with a key frame later on'],
    [
      ['in the middle of its only group of pictures', '250'],
      ['with a key frame later on', '25'],
    ],
  ),
)('begins a film with an edit list %s where the edit list begins', async (_, keyDistance) => {
  await make('uncut.mp4', ...clapFilm(2), ...quickH264, '-g', keyDistance, '-sc_threshold', '0', '-c:a', 'aac');
  const source = `edited-${keyDistance}.mp4`;
  await make(source, '-ss', '0.8', '-i', service.file('uncut.mp4'), '-c', 'copy');
  await encoded(source, [output]);
  const path = outputFile(source);
  expect(await pictureTimes(path)).toEqual(grid(30, 25));
  expect(await flashesOf(path)).toEqual([0.68]);
  expect(await clicksOf(path)).toEqual([expect.closeTo(0.68, 3)]);
  expect(await pictureHashes(path)).toEqual(await plainHashes(source, scale('160:90')));
});

test('shows a transport stream from its first key frame on', async () => {
  const sound = ['-c:a', 's302m', '-ac', '2', '-strict', '-2'];
  const whole = await make('whole.ts', ...clapFilm(3), ...quickH264, '-g', '25', '-sc_threshold', '0', ...sound);
  const { packets } = (await probe(whole, '-select_streams', 'v', '-show_entries', 'packet=pos,flags')) as {
    packets: { pos: string; flags: string }[];
  };
  const [, second] = packets.filter(({ flags }) => flags.startsWith('K'));
  // The cut is at a packet halfway to the second group of pictures.
  const cut = Math.floor(Number(second?.pos) / 2 / 188) * 188;
  await writeFile(service.file('middle.ts'), (await readFile(whole)).subarray(cut));
  await encoded('middle.ts', [output, { ...output, audio: false }]);
  const [withSound, alone] = [outputFile('middle.ts', 0), outputFile('middle.ts', 1)];
  // Sound precedes the first picture, which is shown from the start.
  const [flashes, clicks] = [await flashesOf(withSound), await clicksOf(withSound)];
  expect(flashes).toHaveLength(2);
  expect(flashes[0]).toBeGreaterThan(0.48);
  expect(clicks.slice(-2)).toEqual(flashes.map((flash) => expect.closeTo(flash, 3)));
  // Without sound, the film has the same clock.
  const times = await pictureTimes(alone);
  expect(times).toEqual(await pictureTimes(withSound));
  expect(times).toEqual(rounded(grid(times.length, 25)));
  expect(await flashesOf(alone)).toEqual(flashes);
  const ahead = `trim=start_frame=25,tpad=start_mode=clone:start=${times.length - 50},${scale('160:90')}`;
  expect(await pictureHashes(alone)).toEqual(await plainHashes('whole.ts', ahead));
});

test('reports the length of the pictures if only they are requested', async () => {
  await make('both.mp4', ...motion(0.8), ...tone(1.2), ...quickH264, '-c:a', 'aac');
  const { source } = EncodeResult.parse((await encode('both.mp4', [{ ...output, audio: false }])).body);
  expect(source).toMatchObject({ duration: 0.8, complete: true });
});

test.each([
  ['with its index before', ['-movflags', '+faststart'], 'source_truncated'],
  ['with its index behind', [], 'undecodable_source'],
])('rejects half an mp4 %s', async (name, options, code) => {
  const source = `half-${name.replaceAll(' ', '-')}.mp4`;
  const path = await make(source, ...motion(6), ...tone(6), ...quickH264, '-c:a', 'aac', ...options);
  const file = await open(path, 'r+');
  await file.truncate(Math.floor((await file.stat()).size / 2));
  await file.close();
  expect((await encode(source, [output])).body).toMatchObject({ success: false, code });
  expect((await encode(source, [{ ...output, audio: false }])).body).toMatchObject({ success: false, code });
  await service.expectNothingUploaded(source);
});

test.each([
  ['some', '-0.5'],
  ['all', '-3'],
])('rejects a film without time stamps for %s of its pictures, rather than lose pictures', async (_, offset) => {
  const shift = ['-output_ts_offset', offset, '-avoid_negative_ts', 'disabled'];
  await make('unstamped.mkv', ...motion(1), ...quickH264, ...shift);
  expect((await encode('unstamped.mkv', [output])).body).toMatchObject({
    code: 'undecodable_source',
    error: expect.stringContaining('Not every picture of the source has a time stamp'),
  });
  await service.expectNothingUploaded('unstamped.mkv');
});

test('rejects pictures that change their size, and uploads no part of them', async () => {
  const { mediaRoot } = service.container;
  const coded = [...quickH264, '-g', '5'];
  const small = await makeMedia(mediaRoot, 'small.ts', ...motion(1), ...coded);
  const late = ['-output_ts_offset', '1.2'];
  const large = await makeMedia(mediaRoot, 'large.ts', ...motion(2, '25', '160x120'), ...coded, ...late);
  await writeFile(service.file('change.ts'), Buffer.concat([await readFile(small), await readFile(large)]));
  await make('change.mkv', '-i', service.file('change.ts'), '-c', 'copy');
  // Matroska has an index, by which the decoder enters after the change.
  for (const [source, trim] of [
    ['change.ts', {}],
    ['change.mkv', { start: 2.4 }],
  ] as const) {
    expect((await encode(source, [{ ...output, trim }])).body).toMatchObject({
      code: 'unsupported_format',
      error: expect.stringContaining('changes the size of its pictures'),
    });
    await service.expectNothingUploaded(source);
  }
  // The pictures before the change are not affected.
  await encoded('change.mkv', [{ ...output, trim: { end: 0.5 } }]);
});

test('makes the same file for the same request, bit for bit', async () => {
  await make('again.mp4', ...motion(1, '30000/1001', '480x270'), ...tone(1), ...quickH264, '-c:a', 'aac');
  const digests = async (): Promise<unknown[]> => {
    const { body } = await encode('again.mp4', [{ ...output, audio: { codec: 'aac' } }, { preset: 'web-h264-480' }]);
    return EncodeResult.parse(body).outputs.map(({ sha256 }) => sha256);
  };
  const first = await digests();
  expect(await digests()).toEqual(first);
});

test('leaves nothing if a job is cancelled while it encodes pictures', async () => {
  await make('long.mp4', ...motion(20, '25', '640x360'), ...quickH264);
  const { container } = service;
  const uploadUrl = container.fileUrl('out/long.mp4/0');
  const outputs = [{ container: 'mp4', video: { crf: 1, speed: 'slow' }, uploadUrl }];
  const jobId = await container.submit('/encode', { sourceUrl: container.fileUrl('long.mp4'), outputs });
  const started = await container.untilJob(
    jobId,
    'pictures',
    ({ phase, speed }) => phase === 'encode' && speed !== undefined,
  );
  expect(started.state).toBe('running');
  await container.call('DELETE', `/jobs/${jobId}`);
  expect(await container.untilEnded(jobId)).toMatchObject({ state: 'cancelled', phase: 'encode' });
  expect(await container.jobFolders()).toEqual([]);
  await service.expectNothingUploaded('long.mp4');
});
