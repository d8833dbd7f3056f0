import { describe, expect, test } from 'vitest';
import { ChunkResult } from '../../../../contract/http/chunk.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { placement, samplesOf, words } from '../../../support/media-files.ts';
import { rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { encode, encoded, file, make, outputFile } = service;

const rate = 8000;
const picture = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:r=10:d=8'];

/** Expects five seconds of music after this much silence, at most 50 ms off. */
async function expectMusicAt(path: string, seconds: number, length: number): Promise<void> {
  const [samples, music] = [await samplesOf(path, rate), await samplesOf(file('music.wav'), rate)];
  expect(Math.abs(samples.length / rate - length)).toBeLessThan(0.08);
  const silence = samples.subarray(0, Math.max(0, Math.round((seconds - 0.1) * rate)));
  expect(silence.every((sample) => Math.abs(sample) < 50)).toBe(true);
  const found = placement(samples.subarray(Math.round(seconds * rate)), music, 0, rate);
  expect(found.likeness).toBeGreaterThan(0.9);
  expect(Math.abs(found.lag)).toBeLessThan(0.05);
}

/** Makes a film whose sound begins 3 s late. */
const makeLate = async (name: string): Promise<string> =>
  await make(name, ...picture, ...words('-itsoffset 3 -i'), file('music.wav'), ...words('-c:v libx264 -c:a libopus'));

describe('sound that begins after the pictures', () => {
  test.each(
    rowsExcept(
      ['late.mkv', 'late-fragments.mp4', 'late.webm', 'late.mov', 'late.nut'],
      [
        ['late.mkv', ['-c:v', 'libx264', '-c:a', 'libopus']],
        ['late.webm', ['-c:v', 'libvpx', '-c:a', 'libopus']],
        ['late.mp4', ['-c:v', 'libx264', '-c:a', 'aac']],
        ['late-fragments.mp4', ['-c:v', 'mpeg4', '-c:a', 'aac', '-movflags', '+frag_keyframe+empty_moov']],
        ['late.mov', ['-c:v', 'mpeg4', '-c:a', 'pcm_s16le']],
        ['late.ts', ['-c:v', 'libx264', '-c:a', 'aac']],
        ['late.flv', ['-c:v', 'flv', '-c:a', 'libmp3lame']],
        ['late.mpg', ['-r', '25', '-c:v', 'mpeg2video', '-c:a', 'mp2']],
        ['late.ogv', ['-c:v', 'libtheora', '-c:a', 'libvorbis']],
        ['late.wmv', ['-c:v', 'wmv2', '-c:a', 'wmav2']],
        ['late.nut', ['-c:v', 'mpeg4', '-c:a', 'flac']],
      ],
    ),
  )('keeps sound that begins 3 s late in step with the pictures of %s', async (name, codecs) => {
    await make(name, ...picture, '-itsoffset', '3', '-i', file('music.wav'), '-map', '0', '-map', '1', ...codecs);
    await encoded(name, [{ format: 'wav' }, { format: 'mp3_128' }]);
    await expectMusicAt(outputFile(name, 0), 3, 8);
    await expectMusicAt(outputFile(name, 1), 3, 8);
  });

  // ffprobe reads five seconds.
  test.each(
    rowsExcept(
      ['later.wmv'],
      [
        ['later.mkv', ['-c:v', 'mpeg4', '-c:a', 'libmp3lame']],
        ['later.ts', ['-c:v', 'libx264', '-c:a', 'aac']],
        ['later.wmv', ['-c:v', 'wmv2', '-c:a', 'wmav2']],
      ],
    ),
  )('accepts %s, whose sound begins after the seconds that ffprobe reads', async (name, codecs) => {
    const pictures = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:r=10:d=17'];
    await make(name, ...pictures, '-itsoffset', '12', '-i', file('music.wav'), '-map', '0', '-map', '1', ...codecs);
    const answer = await encoded(name, [{ format: 'wav' }]);
    expect(answer.source.complete).not.toBe(false);
    await expectMusicAt(outputFile(name), 12, 17);
  });

  test('accepts pictures that begin after the seconds that ffprobe reads', async () => {
    const late = ['-itsoffset', '12', '-f', 'lavfi', '-i', 'testsrc=s=64x64:r=10:d=1'];
    await make('late-pictures.ts', ...late, '-i', file('music.wav'), '-c:v', 'libx264', '-c:a', 'aac');
    const film = { container: 'mkv', video: { codec: 'ffv1' } } as const;
    expect((await encoded('late-pictures.ts', [film])).outputs[0]?.duration).toBeCloseTo(13, 0);
  });

  test('keeps late sound in its place in chunks, which begin with the file', async () => {
    await makeLate('chunked.mkv');
    const chunks = [0, 1].map((index) => ({ index, uploadUrl: service.container.fileUrl(`out/chunked/${index}`) }));
    const request = {
      sourceUrl: service.container.fileUrl('chunked.mkv'),
      chunkDuration: 6,
      overlapDuration: 3,
      chunks,
    };
    const answer = await service.container.call('POST', '/chunk', request);
    expect(answer.body).toMatchObject({ success: true });
    expect(ChunkResult.parse(answer.body).totalDuration).toBeCloseTo(8, 1);
    await expectMusicAt(file('out/chunked/0'), 3, 6);
    await expectMusicAt(file('out/chunked/1'), 0, 5);
  });

  test('includes the silence before late sound in the duration of /metadata', async () => {
    await makeLate('told.mkv');
    const answer = await service.container.call('POST', '/metadata', {
      sourceUrl: service.container.fileUrl('told.mkv'),
    });
    expect(answer.body.duration).toBeCloseTo(8, 1);
  });
});

describe('sound alone with late time stamps', () => {
  test.each(
    rowsExcept(
      ['joined.mka', 'joined.m4a', 'joined.flv', 'early.opus', 'joined.webm', 'joined.mov'],
      [
        ['joined.mka', 10, ['-c:a', 'libopus']],
        ['joined.webm', 10, ['-c:a', 'libopus']],
        ['joined.m4a', 10, ['-c:a', 'aac']],
        ['joined.mov', 10, ['-c:a', 'pcm_s16le']],
        ['joined.ogg', 10, ['-c:a', 'libvorbis']],
        ['joined.ts', 10, ['-c:a', 'aac']],
        ['joined.flv', 10, ['-c:a', 'libmp3lame']],
        ['joined.nut', 10, ['-c:a', 'flac']],
        ['early.ogg', -1, ['-c:a', 'libvorbis']],
        ['early.opus', -1, ['-c:a', 'libopus']],
      ],
    ),
  )('begins %s with its sound, though its time stamps begin at %i s', async (name, start, codec) => {
    const input = ['-itsoffset', String(start), '-i', file('music.wav'), '-avoid_negative_ts', 'disabled'];
    await make(name, ...input, ...codec);
    const answer = await encode(name, [{ format: 'wav' }]);
    expect(answer.body).toMatchObject({ success: true });
    expect(answer.body.source.complete).not.toBe(false);
    await expectMusicAt(outputFile(name), 0, 5);
  });
});

test('leaves out what an edit list leaves out', async () => {
  await make('whole.m4a', ...service.fromMusic(), '-c:a', 'aac');
  await make('edited.m4a', '-ss', '1.3', '-i', file('whole.m4a'), '-c', 'copy', '-t', '2');
  const answer = await encode('edited.m4a', [{ format: 'wav' }]);
  expect(answer.body).toMatchObject({ success: true });
  const [samples, music] = [await samplesOf(outputFile('edited.m4a'), rate), await samplesOf(file('music.wav'), rate)];
  expect(Math.abs(samples.length / rate - 2)).toBeLessThan(0.05);
  const { lag, likeness } = placement(samples, music, 1.3, rate);
  expect(likeness).toBeGreaterThan(0.9);
  expect(Math.abs(lag)).toBeLessThan(0.03);
});
