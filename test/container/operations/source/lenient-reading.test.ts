import { createHash } from 'node:crypto';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { musicOgg } from '../../../support/media.ts';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import { words } from '../../../support/media-files.ts';
import { rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { encode, expectTrue, file, fromMusic, make, outputFile } = service;

describe('sources that a strict reader would reject', () => {
  const sources: [string, () => Promise<unknown>, number][] = [
    ['streamed-0.wav', () => streamedWav('streamed-0.wav', 0), 5],
    ['streamed-ffffffff.wav', () => streamedWav('streamed-ffffffff.wav', 0xff_ff_ff_ff), 5],
    ['streamed-7ffff000.wav', () => streamedWav('streamed-7ffff000.wav', 0x7f_ff_f0_00), 5],
    ['huge-list.wav', () => hugeListWav('huge-list.wav'), 5],
    ['junk.wav', () => withJunk('junk.wav', ...fromMusic()), 5],
    ['junk.mp3', () => withJunk('junk.mp3', ...fromMusic()), 5],
    ['junk-no-xing.mp3', () => withJunk('junk-no-xing.mp3', ...fromMusic(), '-write_xing', '0'), 5],
    ['joined.mp3', () => joined('joined.mp3', [44_100, 44_100]), 10],
    ['joined-rates.mp3', () => joined('joined-rates.mp3', [44_100, 22_050]), 10],
    ['vbr.mp3', () => make('vbr.mp3', ...fromMusic(), '-q:a', '5'), 5],
    ['vbr-no-xing.mp3', () => make('vbr-no-xing.mp3', ...fromMusic(), '-q:a', '5', '-write_xing', '0'), 5],
    ['id3.mp3', () => make('id3.mp3', ...fromMusic(), '-metadata', 'title=Info', '-metadata', 'artist=Xing'), 5],
    [
      'hole.webm',
      () =>
        make(
          'hole.webm',
          ...fromMusic(),
          ...words('-c:a libopus -af'),
          "aselect='not(between(t,2,3))'",
          '-fps_mode',
          'passthrough',
        ),
      5,
    ],
    [
      'fragmented.mp4',
      () => make('fragmented.mp4', ...fromMusic(), '-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov'),
      5,
    ],
    ['moov-at-the-end.m4a', () => make('moov-at-the-end.m4a', ...fromMusic()), 5],
    ['adpcm.wav', () => make('adpcm.wav', ...fromMusic(), '-c:a', 'adpcm_ms'), 5],
    ['mp3-in.wav', () => make('mp3-in.wav', ...fromMusic(), '-c:a', 'libmp3lame', '-q:a', '4'), 5],
    ['mu-law.wav', () => make('mu-law.wav', ...fromMusic(), '-ar', '8000', '-c:a', 'pcm_mulaw'), 5],
    ['floats.wav', () => make('floats.wav', ...fromMusic(), '-c:a', 'pcm_f32le'), 5],
    ['apple.m4a', () => make('apple.m4a', ...fromMusic(), '-c:a', 'alac'), 5],
    ['windows.wma', () => make('windows.wma', ...fromMusic()), 5],
    ['sun.au', () => make('sun.au', ...fromMusic()), 5],
    ['dolby.ac3', () => make('dolby.ac3', ...fromMusic()), 5],
    ['report.pdf', async () => copyFile(await make('really.mp3', ...fromMusic()), file('report.pdf')), 5],
    ['no-extension', () => copyFile(file('music.wav'), file('no-extension')), 5],
    ['ten-milliseconds.wav', () => make('ten-milliseconds.wav', ...fromMusic(), '-t', '0.01'), 0.01],
  ];

  test.each(rowsExcept(['adpcm.wav', 'mu-law.wav', 'windows.wma', 'sun.au', 'dolby.ac3'], sources))(
    'encodes %s at its full length',
    async (name, prepare, seconds) => {
      await prepare();
      const requests = [{ format: 'mp3_128' }, { format: 'wav' }];
      const answer = await encode(name, requests);
      expect(answer.body).toMatchObject({ success: true });
      for (const { duration } of answer.body.outputs) expect(Math.abs(duration - seconds)).toBeLessThanOrEqual(0.13);
    },
  );

  async function streamedWav(name: string, size: number): Promise<void> {
    const bytes = await readFile(file('music.wav'));
    bytes.writeUInt32LE(size, 4);
    bytes.writeUInt32LE(size, bytes.indexOf('data') + 4);
    await writeFile(file(name), bytes);
  }

  async function hugeListWav(name: string): Promise<void> {
    const bytes = await readFile(file('music.wav'));
    const data = bytes.indexOf('data');
    const list = Buffer.alloc(300_000, ' ');
    list.write('LIST', 0);
    list.writeUInt32LE(list.length - 8, 4);
    list.write('INFOICMT', 8);
    list.writeUInt32LE(list.length - 20, 16);
    await writeFile(file(name), Buffer.concat([bytes.subarray(0, 36), list, bytes.subarray(data)]));
  }

  async function withJunk(name: string, ...args: string[]): Promise<void> {
    await make(name, ...args);
    // Hashes give the same junk every time.
    const junk = Array.from({ length: 2000 }, (_, index) => createHash('sha256').update(String(index)).digest());
    await writeFile(file(name), Buffer.concat([await readFile(file(name)), ...junk]));
  }

  async function joined(name: string, rates: number[]): Promise<void> {
    const parts = [];
    for (const rate of rates)
      parts.push(await readFile(await make(`part-${rate}.mp3`, ...fromMusic(), '-ar', String(rate))));
    await writeFile(file(name), Buffer.concat(parts));
  }
});

describe('videos and pictures beside sound', () => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc=s=160x120:r=10:d=2'];
  const sound = ['-t', '2', '-i', musicOgg];

  test.each([
    ['h264.mp4', ['-c:v', 'libx264', '-c:a', 'aac'], 'srt', ['-c:s', 'mov_text']],
    ['subrip.mkv', ['-c:v', 'libx264', '-c:a', 'libopus'], 'srt', ['-c:s', 'srt']],
    ['vp8.webm', ['-c:v', 'libvpx', '-c:a', 'libopus'], 'srt', ['-c:s', 'webvtt']],
    ['ffv1.mkv', ['-c:v', 'ffv1', '-c:a', 'flac'], undefined, []],
    ['raw.avi', ['-c:v', 'rawvideo', '-pix_fmt', 'yuv420p', '-c:a', 'pcm_s16le'], undefined, []],
    ['old.wmv', ['-c:v', 'wmv2', '-c:a', 'wmav2'], undefined, []],
    ['camera.ts', ['-c:v', 'mpeg2video', '-r', '25', '-c:a', 'ac3'], undefined, []],
  ])('encodes only the sound of %s', async (name, codecs, subtitles, subtitleCodec) => {
    await writeFile(file('s.srt'), '1\n00:00:00,500 --> 00:00:01,000\nHello\n');
    const extra = subtitles === undefined ? [] : ['-i', file('s.srt')];
    const maps = ['-map', '0', '-map', '1', ...(subtitles === undefined ? [] : ['-map', '2'])];
    await make(name, ...picture, ...sound, ...extra, ...maps, ...codecs, ...subtitleCodec);
    const answer = await encode(name, [{ format: 'mp3_128' }]);
    expect(answer.body).toMatchObject({ success: true });
    expect(answer.body.source.duration).toBeCloseTo(2, 0);
    expect((await probeAll(outputFile(name))).streams.map(({ codec_type }) => codec_type)).toEqual(['audio']);
  });

  test.each(rowsExcept(['bmp', 'tiff'], ['png', 'jpg', 'bmp', 'gif', 'tiff']))(
    'does not count a cover as %s as a video stream',
    async (kind) => {
      const cover = await make(`cover.${kind}`, '-f', 'lavfi', '-i', 'testsrc=s=64x64:d=1', '-frames:v', '1');
      const name = `covered-${kind}.mp3`;
      await make(
        name,
        ...sound,
        '-i',
        cover,
        '-map',
        '0',
        '-map',
        '1',
        '-c:v',
        'copy',
        '-disposition:v',
        'attached_pic',
      );
      const requests = [{ format: 'flac' }];
      await expectTrue(name, await encode(name, requests), requests, ['flac']);
    },
  );

  test('rejects a video without sound as no_audio', async () => {
    await make('mute.mp4', ...picture, '-c:v', 'libx264');
    expect(await encode('mute.mp4', [{ format: 'mp3_64' }])).toMatchObject({
      status: 422,
      body: { code: 'no_audio' },
    });
  });
});
