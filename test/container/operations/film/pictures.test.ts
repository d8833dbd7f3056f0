import { expect, test } from 'vitest';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import {
  motion,
  pictureHashes,
  picturePackets,
  pictureTimes,
  plainScaler,
  quickH264,
  tone,
} from '../../../support/films.ts';

const service = await useEncodes();
const { encode, make, outputFile } = service;

const fast = { codec: 'h264', speed: 'fast' } as const;

test('makes the pictures of plain ffmpeg at the right times, and describes them', async () => {
  const source = await make('film.mp4', ...motion(2), ...tone(2), ...quickH264, '-c:a', 'aac');
  const answer = await encode('film.mp4', [{ container: 'mp4', video: { ...fast, width: 128, crf: 24 } }]);
  expect(answer.body).toMatchObject({ success: true });
  const plain = await service.make(
    'plain.mp4',
    ...['-i', source, '-map', '0:v', '-vf', plainScaler('128:72')],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '24', '-g', '250', '-threads', '1', '-pix_fmt', 'yuv420p'],
  );
  const path = outputFile('film.mp4');
  expect(await pictureHashes(path)).toEqual(await pictureHashes(plain));
  const packets = await picturePackets(path);
  expect(packets.map(({ time }) => time)).toEqual(Array.from({ length: 50 }, (_, index) => index / 25));
  const { source: facts, outputs } = EncodeResult.parse(answer.body);
  expect(facts.pictures).toEqual({ width: 160, height: 90, fps: 25 });
  const [output] = outputs;
  expect(output).toMatchObject({ container: 'mp4' });
  expect(output?.streams).toMatchObject([
    { kind: 'video', codec: 'h264', width: 128, height: 72, fps: 25, frames: 50 },
    { kind: 'audio', codec: 'aac', channels: 1, sampleRate: 48_000 },
  ]);
  expect((await probeAll(path)).streams.map(({ codec_type }) => codec_type)).toEqual(['video', 'audio']);
});

test('accepts chapters up to the end of the pictures or the sound of an output, and refuses later ones', async () => {
  await make(
    'uneven.mp4',
    ...[...motion(3), ...tone(1), ...tone(2), '-map', '0', '-map', '1', '-map', '2'],
    ...[...quickH264, '-c:a', 'aac'],
  );
  const film = { container: 'mp4', video: fast } as const;
  const chaptersTo = (start: number) => ({
    chapters: [
      { start: 0, title: 'first' },
      { start, title: 'last' },
    ],
  });
  const trim = { start: 0.5 };
  const { outputs } = await service.encoded('uneven.mp4', [
    { ...film, ...chaptersTo(2.5) },
    { ...film, ...chaptersTo(2.5), trim },
    { ...film, ...chaptersTo(2.5), audio: false },
    { container: 'm4a', audio: { bitrate: 64 }, track: 1, ...chaptersTo(1.5) },
  ]);
  expect(outputs.map(({ chapters }) => chapters)).toEqual([2, 2, 2, 2]);
  const late = await encode('uneven.mp4', [{ ...film, ...chaptersTo(3), trim }]);
  expect(late).toMatchObject({ status: 400, body: { code: 'invalid_request', details: { field: 'chapters' } } });
  expect(late.body.error).toMatch(/"last" begins at 3 s, and the source is 3\.000 s long/);
});

test('counts the pictures of a file that states when they are decoded, and not when they are shown', async () => {
  const film = await make('reordered.avi', ...motion(1), '-c:v', 'mpeg4', '-bf', '2', '-q:v', '2');
  await make('copied.mp4', '-i', film, '-c', 'copy');
  const poster = { image: 'poster', at: 0.5, imageFormat: 'png' } as const;
  const answer = await encode('copied.mp4', [
    { container: 'mkv', video: { codec: 'ffv1' } },
    { container: 'mp4', video: { ...fast, copy: true }, trim: { start: 0.4 } },
    poster,
  ]);
  expect(answer.body).toMatchObject({ success: true });
  const path = outputFile('copied.mp4');
  const pictures = await pictureHashes(film);
  expect(await pictureHashes(path)).toEqual(pictures);
  expect(await pictureTimes(path)).toEqual(Array.from({ length: 25 }, (_, index) => index / 25));
  expect(await pictureTimes(outputFile('copied.mp4', 1))).toHaveLength(15);
  await encode('reordered.avi', [poster]);
  const posters = [outputFile('copied.mp4', 2), outputFile('reordered.avi')];
  const [own, other] = await Promise.all(posters.map((image) => pictureHashes(image)));
  expect(own).toEqual(other);
});

test.each<[string, string[], object]>([
  ['sound alone', ['-i', 'MUSIC', '-c:a', 'aac'], { code: 'no_video' }],
  [
    'a cover alone',
    ['-i', 'MUSIC', ...motion(1), '-frames:v', '1', '-c:v', 'mjpeg', '-disposition:v', 'attached_pic'],
    { code: 'no_video' },
  ],
  [
    'pictures of a codec that is not decoded',
    [...motion(1), '-c:v', 'jpeg2000', '-f', 'mov'],
    { code: 'undecodable_source' },
  ],
  [
    'pictures of more pixels than any film',
    [...motion(0.04, '25', '8192x4612'), '-c:v', 'mjpeg', '-f', 'matroska'],
    { code: 'undecodable_source' },
  ],
])('rejects %s if pictures are requested', async (name, args, error) => {
  const source = `${name.replaceAll(' ', '-')}.${args.includes('aac') ? 'm4a' : 'mov'}`;
  await make(source, ...args.map((arg) => (arg === 'MUSIC' ? service.file('second.wav') : arg)));
  const answer = await encode(source, [{ container: 'mp4', video: fast }]);
  expect(answer.body).toMatchObject({ success: false, ...error });
  await service.expectNothingUploaded(source);
});

test('rejects pictures that are too small for their encoder', async () => {
  await make('small.mp4', ...motion(0.2), ...quickH264);
  expect((await encode('small.mp4', [{ container: 'mp4', video: { codec: 'av1', height: 48 } }])).body).toMatchObject({
    code: 'unsupported_format',
    error: expect.stringContaining('av1 needs pictures of at least 64x64 pixels, and these would have 86x48'),
  });
});

test('rejects impossible outputs with pictures by name, whatever the source is', async () => {
  for (const [output, reason] of [
    [{ container: 'mp3', video: {} }, 'mp3 files hold no pictures'],
    [{ container: 'mp4', video: { codec: 'theora' } }, 'known video codecs are h264, hevc, av1, vp9, prores, ffv1'],
    [{ container: 'mp4', video: { codec: 'prores' } }, 'mp4 files hold h264, hevc, av1 pictures, not prores'],
    [{ container: 'webm', video: { crf: 20.5 } }, 'the crf of vp9 is a whole number'],
    [
      { container: 'webm', video: { codec: 'av1', pixelFormat: 'yuv422p' } },
      'av1 takes yuv420p, yuv420p10le, not yuv422p',
    ],
    [{ container: 'mov', video: { codec: 'prores', speed: 'fast' } }, 'prores has one speed only'],
    [{ container: 'mkv', video: { codec: 'ffv1', crf: 20 } }, 'ffv1 has no crf'],
    [{ container: 'mkv', video: { codec: 'ffv1', keyframeInterval: 1 } }, 'every picture of ffv1 is a key frame'],
    [{ container: 'mp4', video: { bitrate: 900, crf: 20 } }, 'use a crf or a bitrate, not both'],
    [{ container: 'mp4', video: { bitrate: 900, maxBitrate: 800 } }, 'maxBitrate of 800 is below the bitrate of 900'],
    [{ container: 'mkv', video: { codec: 'ffv1', bitrate: 900 } }, 'Holdfast encodes ffv1 without a bitrate'],
    [{ container: 'mp4', video: { codec: 'av1', bitrate: 900 } }, 'Holdfast encodes av1 without a bitrate; use a crf'],
    [{ container: 'webm', video: { maxBitrate: 1000 } }, 'Holdfast encodes vp9 without a maxBitrate'],
    [{ container: 'mp4', video: { crf: 60 } }, 'the crf of h264 is a number from 1 (best) to 51'],
    [{ container: 'mp4', video: { crf: 0 } }, 'the crf of h264 is a number from 1 (best) to 51'],
    [{ container: 'mp4', video: { fit: 'cover', width: 100 } }, 'needs both width and height'],
    [{ container: 'mp4', video: {}, silence: { trimStart: true } }, 'keeps all pauses; leave silence out'],
    [{ container: 'mov', audio: {} }, 'mov files need pictures'],
    [{ container: 'mp4', video: { pad: 'black', width: 100 } }, '"pad" needs both width and height'],
    [{ container: 'mp4', video: { pad: 'black', fit: 'blur', width: 90, height: 90 } }, '"blur" leaves no space'],
    [{ container: 'mp4', video: { hdr: 'keep', pixelFormat: 'yuv420p' } }, 'needs a pixelFormat of 10 bits'],
    [{ container: 'mp4', audio: false }, 'neither sound nor pictures'],
  ] as const) {
    const answer = await encode('music.wav', [output]);
    expect(answer.body, reason).toMatchObject({ code: 'unsupported_format', error: expect.stringContaining(reason) });
  }
  for (const [video, field] of [
    [{ sharpen: 1 }, 'sharpen'],
    [{ pad: 'red;movie=x' }, 'must be black, white or a colour'],
    [{ rotate: 45 }, 'must be 90, 180 or 270'],
    [{ crop: { left: -1 } }, 'video.crop.left'],
  ] as const) {
    const unknown = await encode('music.wav', [{ container: 'mp4', video } as never]);
    expect(unknown.body, field).toMatchObject({ code: 'invalid_request', error: expect.stringContaining(field) });
  }
});
