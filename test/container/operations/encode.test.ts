import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatExtension } from '../../../contract/formats.ts';
import { EncodeResult } from '../../../contract/http/encode.ts';
import { ErrorBody } from '../../../contract/http/error.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { TestContainer, type Answer } from '../../support/container.ts';
import { musicOgg, speechWav } from '../../support/media.ts';
import { makeMedia, pcmDigest, placement, probe, processesNaming, samplesOf, sha256Of } from './media-files.ts';

interface Wish {
  format: string;
  channels?: number;
  sampleRate?: number;
}

let container: TestContainer;
let media: MediaServer;

beforeAll(async () => {
  media = await MediaServer.start();
  container = await TestContainer.start();
  await make('music.wav', '-i', musicOgg, '-t', '5', '-c:a', 'pcm_s16le');
  await make('second.wav', ...fromMusic(), '-t', '1');
  await make('sibling.mp3', ...fromMusic(), '-t', '1');
  await copyFile(speechWav, file('speech.wav'));
  await mkdir(file('a-folder'));
});

afterAll(async () => {
  await container.stop();
  await media.stop();
});

const file = (name: string, from = container) => join(from.mediaRoot, name);
const make = (name: string, ...args: string[]) => makeMedia(container.mediaRoot, name, ...args);
const fromMusic = () => ['-i', file('music.wav')];

/** Encodes a file under the media root to `out/<source>/<index>`. */
async function encode(source: string, wishes: Wish[], extra: object = {}, by = container): Promise<Answer> {
  return await by.call('POST', '/encode', {
    sourceUrl: by.fileUrl(source),
    outputs: wishes.map((wish, index) => ({ ...wish, uploadUrl: by.fileUrl(`out/${source}/${index}`) })),
    ...extra,
  });
}

const outputFile = (source: string, index = 0, from = container) => file(`out/${source}/${index}`, from);

async function expectNothingUploaded(source: string, from = container): Promise<void> {
  await expect(stat(join(from.mediaRoot, 'out', source))).rejects.toThrow('ENOENT');
}

interface Probed {
  streams: {
    codec_type: string;
    codec_name: string;
    channels: number;
    sample_rate: string;
    bits_per_raw_sample?: string;
    tags?: Record<string, string>;
  }[];
  format: { duration: string; bit_rate: string; tags?: Record<string, string> };
}

const probeAll = async (path: string) => (await probe(path, '-show_streams', '-show_format')) as Probed;

/** Every field of the answer is what the file says of itself (docs/contract.md, "Encode"). */
async function expectTrue(source: string, answer: Answer, wishes: Wish[], codecs: string[]): Promise<void> {
  expect(answer.body).toMatchObject({ success: true });
  expect(answer.status).toBe(200);
  const result = EncodeResult.parse(answer.body);
  expect(result.outputs.map(({ format }) => format)).toEqual(wishes.map(({ format }) => format));
  for (const [index, output] of result.outputs.entries()) {
    const path = outputFile(source, index);
    const { streams } = await probeAll(path);
    expect(streams).toHaveLength(1);
    const [audio] = streams;
    expect(audio).toMatchObject({ codec_name: codecs[index], channels: output.channels });
    const { channels, sampleRate } = output;
    expect(output.streams).toMatchObject([{ kind: 'audio', codec: codecs[index], channels, sampleRate }]);
    expect(formatExtension(output.format)).toBe(output.container);
    // Opus plays at 48 kHz whatever went in.
    if (audio?.codec_name !== 'opus') expect(Number(audio?.sample_rate)).toBe(output.sampleRate);
    expect(output.size).toBe((await stat(path)).size);
    expect(output.sha256).toBe(await sha256Of(path));
    // What is played: ffprobe's duration of an mp3 has the padding of its encoder in it. ffmpeg plays an AAC's last frame whole.
    const played = (await samplesOf(path, 8000)).length / 8000;
    const tolerance = Math.max(0.05, audio?.codec_name === 'aac' ? 1024 / (output.sampleRate ?? 0) : 0);
    expect(Math.abs(played - output.duration)).toBeLessThanOrEqual(tolerance);
    expect(Math.abs(output.duration - result.source.duration)).toBeLessThanOrEqual(0.05);
    const wished = wishes[index];
    if (wished?.channels !== undefined) expect(output.channels).toBe(wished.channels);
    if (wished?.sampleRate !== undefined) expect(output.sampleRate).toBe(wished.sampleRate);
    const bitrate = Number(/_(\d+)$/.exec(wished?.format ?? '')?.[1] ?? output.bitrate);
    expect(output.bitrate).toBe(bitrate);
  }
}

describe('formats', () => {
  const everyFormat: [Wish, string][] = [
    [{ format: 'mp3_128' }, 'mp3'],
    [{ format: 'aac_96' }, 'aac'],
    [{ format: 'opus_24', channels: 1, sampleRate: 24_000 }, 'opus'],
    [{ format: 'flac' }, 'flac'],
    [{ format: 'wav' }, 'pcm_s16le'],
    [{ format: 'mp3_64', channels: 1, sampleRate: 22_050 }, 'mp3'],
    [{ format: 'aac_48', channels: 1, sampleRate: 16_000 }, 'aac'],
    [{ format: 'opus_128' }, 'opus'],
  ];

  test('eight outputs come out of one decode, and the answer is true in every field', async () => {
    const wishes = everyFormat.map(([wish]) => wish);
    const answer = await encode('music.wav', wishes);
    await expectTrue(
      'music.wav',
      answer,
      wishes,
      everyFormat.map(([, codec]) => codec),
    );
    expect(answer.body.source).toEqual({ duration: 5, channels: 2, sampleRate: 44_100, bitrate: 1411 });
  });

  test('one output', async () => {
    await expectTrue(
      'speech.wav',
      await encode('speech.wav', [{ format: 'opus_24' }]),
      [{ format: 'opus_24' }],
      ['opus'],
    );
  });

  test('every output sounds like its source, in its place', async () => {
    const whole = await samplesOf(file('music.wav'), 8000);
    for (const index of everyFormat.keys()) {
      const { lag, likeness } = placement(await samplesOf(outputFile('music.wav', index), 8000), whole, 0, 8000, 0.05);
      expect(likeness).toBeGreaterThan(0.9);
      expect(Math.abs(lag)).toBeLessThanOrEqual(0.002);
    }
  });

  test('lossless outputs have every sample of their source, of 16 and of 24 bits', async () => {
    await make('24bit.wav', '-i', musicOgg, '-t', '3', '-c:a', 'pcm_s24le');
    for (const [source, samples, bits, codec] of [
      ['music.wav', 's16le', '16', 'pcm_s16le'],
      ['24bit.wav', 's24le', '24', 'pcm_s24le'],
    ] as const) {
      expect((await encode(source, [{ format: 'flac' }, { format: 'wav' }])).status).toBe(200);
      const digest = await pcmDigest(file(source), samples);
      expect(await pcmDigest(outputFile(source, 0), samples)).toBe(digest);
      expect(await pcmDigest(outputFile(source, 1), samples)).toBe(digest);
      expect((await probeAll(outputFile(source, 0))).streams[0]?.bits_per_raw_sample).toBe(bits);
      expect((await probeAll(outputFile(source, 1))).streams[0]?.codec_name).toBe(codec);
    }
  });

  test.each([
    [1, 64],
    [2, 128],
    [6, 128],
  ])('"mp3" of %i channels is %i kbit/s', async (channels, bitrate) => {
    await make(`channels-${channels}.wav`, ...fromMusic(), '-t', '2', '-ac', String(channels));
    const answer = await encode(`channels-${channels}.wav`, [{ format: 'mp3' }]);
    expect(answer).toMatchObject({
      status: 200,
      body: { outputs: [{ format: 'mp3', bitrate, channels: Math.min(2, channels) }] },
    });
    const { format } = await probeAll(outputFile(`channels-${channels}.wav`));
    expect(Math.round(Number(format.bit_rate) / 1000)).toBeCloseTo(bitrate, -1);
  });

  test('"mp3" of a mono source at 8 kHz, where 64 kbit/s is the most', async () => {
    const answer = await encode('speech.wav', [{ format: 'mp3', sampleRate: 8000 }]);
    expect(answer).toMatchObject({ status: 200, body: { outputs: [{ bitrate: 64, sampleRate: 8000, channels: 1 }] } });
  });

  test.each([8000, 22_050, 44_100, 48_000, 96_000])('a source of %i Hz in every codec', async (sampleRate) => {
    const source = `rate-${sampleRate}.wav`;
    await make(source, ...fromMusic(), '-t', '1', '-ar', String(sampleRate));
    const wishes = ['mp3_64', 'aac_48', 'opus_48', 'flac', 'wav'].map((format) => ({ format }));
    await expectTrue(source, await encode(source, wishes), wishes, ['mp3', 'aac', 'opus', 'flac', 'pcm_s16le']);
  });

  test.each([3, 4, 5, 6, 7, 8])('%i channels, in and out', async (channels) => {
    const source = `layout-${channels}.wav`;
    await make(source, ...fromMusic(), '-t', '1', '-ac', String(channels));
    const wishes = ['aac_192', 'opus_192', 'flac', 'wav'].map((format) => ({ format, channels }));
    await expectTrue(source, await encode(source, wishes), wishes, ['aac', 'opus', 'flac', 'pcm_s16le']);
    // And out of two.
    await expectTrue('second.wav', await encode('second.wav', wishes), wishes, ['aac', 'opus', 'flac', 'pcm_s16le']);
  });

  test('the speakers of a lossless copy stay where they are', async () => {
    await make('quad.wav', ...fromMusic(), '-t', '1', '-af', 'pan=quad|FL=c0|FR=c1|BL=0.5*c0|BR=0.5*c1');
    await make('side.wav', ...fromMusic(), '-t', '1', '-af', 'pan=5.1(side)|FL=c0|FR=c1|FC=0*c0|LFE=0*c0|SL=c0|SR=c1');
    for (const source of ['quad.wav', 'side.wav']) {
      expect((await encode(source, [{ format: 'flac' }, { format: 'wav' }])).status).toBe(200);
      for (const index of [0, 1]) {
        expect(await pcmDigest(outputFile(source, index), 's16le')).toBe(await pcmDigest(file(source), 's16le'));
      }
    }
  });

  test.each<[Wish]>([
    [{ format: 'ogg' }],
    [{ format: 'mp4_128' }],
    [{ format: 'mp3_100' }],
    [{ format: 'mp3_500' }],
    [{ format: 'mp3_320', sampleRate: 22_050 }],
    [{ format: 'mp3_8', sampleRate: 44_100 }],
    [{ format: 'mp3_128', channels: 6 }],
    [{ format: 'mp3_128', sampleRate: 96_000 }],
    [{ format: 'aac' }],
    [{ format: 'aac_1200' }],
    [{ format: 'aac_96', sampleRate: 44_000 }],
    [{ format: 'opus' }],
    [{ format: 'opus_5' }],
    [{ format: 'opus_300', channels: 1 }],
    [{ format: 'opus_511' }],
    [{ format: 'opus_64', sampleRate: 44_100 }],
    [{ format: 'flac_900' }],
    [{ format: 'flac', sampleRate: 99_999 }],
    [{ format: 'wav_16' }],
  ])('%o is unsupported_format, and nothing is fetched where that is clear before', async (wish) => {
    const answer = await encode('music.wav', [{ format: 'wav' }, wish]);
    expect(answer.status).toBe(422);
    expect(ErrorBody.parse(answer.body)).toMatchObject({
      code: 'unsupported_format',
      details: { format: wish.format },
    });
  });
});

describe('sources that are whole', () => {
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
          '-c:a',
          'libopus',
          '-af',
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

  test.each(sources)('%s', async (name, prepare, seconds) => {
    await prepare();
    const wishes = [{ format: 'mp3_128' }, { format: 'aac_96' }, { format: 'wav' }];
    const answer = await encode(name, wishes);
    expect(answer.body).toMatchObject({ success: true });
    for (const { duration } of answer.body.outputs) expect(Math.abs(duration - seconds)).toBeLessThanOrEqual(0.13);
  });

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
    // The same junk every time.
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

describe('videos and pictures beside the sound', () => {
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
  ])('%s', async (name, codecs, subtitles, subtitleCodec) => {
    await writeFile(file('s.srt'), '1\n00:00:00,500 --> 00:00:01,000\nHello\n');
    const extra = subtitles === undefined ? [] : ['-i', file('s.srt')];
    const maps = ['-map', '0', '-map', '1', ...(subtitles === undefined ? [] : ['-map', '2'])];
    await make(name, ...picture, ...sound, ...extra, ...maps, ...codecs, ...subtitleCodec);
    const answer = await encode(name, [{ format: 'mp3_128' }]);
    expect(answer.body).toMatchObject({ success: true });
    expect(answer.body.source.duration).toBeCloseTo(2, 0);
    expect((await probeAll(outputFile(name))).streams.map(({ codec_type }) => codec_type)).toEqual(['audio']);
  });

  test.each(['png', 'jpg', 'bmp', 'gif', 'tiff'])('a cover as %s is left behind', async (kind) => {
    const cover = await make(`cover.${kind}`, '-f', 'lavfi', '-i', 'testsrc=s=64x64:d=1', '-frames:v', '1');
    const name = `covered-${kind}.mp3`;
    await make(name, ...sound, '-i', cover, '-map', '0', '-map', '1', '-c:v', 'copy', '-disposition:v', 'attached_pic');
    const wishes = [{ format: 'mp3_64' }, { format: 'aac_64' }, { format: 'flac' }];
    await expectTrue(name, await encode(name, wishes), wishes, ['mp3', 'aac', 'flac']);
  });

  test('a video without sound is refused as no_audio, by the output that needs it', async () => {
    await make('mute.mp4', ...picture, '-c:v', 'libx264');
    expect(await encode('mute.mp4', [{ format: 'mp3_64' }])).toMatchObject({
      status: 422,
      body: { code: 'no_audio' },
    });
  });
});

test('title, artist and the like are kept from every kind of tag to every other', async () => {
  const tags = ['-metadata', 'title=Ein Lied', '-metadata', 'artist=Wir & Ihr'];
  for (const source of ['tagged.mp3', 'tagged.ogg', 'tagged.flac', 'tagged.m4a']) {
    await make(source, ...fromMusic(), '-t', '1', ...tags);
    const formats = ['mp3_128', 'aac_96', 'opus_64', 'flac', 'wav'];
    expect(
      (
        await encode(
          source,
          formats.map((format) => ({ format })),
        )
      ).status,
    ).toBe(200);
    for (const [index, format] of formats.entries()) {
      const probed = await probeAll(outputFile(source, index));
      const own = { ...probed.format.tags, ...probed.streams[0]?.tags };
      const found = Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]));
      expect({ from: source, to: format, ...found }).toMatchObject({ title: 'Ein Lied', artist: 'Wir & Ihr' });
    }
  }
});

test('a picture that is written as a tag of Vorbis comments is no stream that an output should not have', async () => {
  const png = await readFile(await make('tag.png', '-f', 'lavfi', '-i', 'color=red:s=16x16', '-frames:v', '1'));
  // The block of RFC 9639, 8.8, in base64: a front cover of 16 x 16 pixels in 24 bits.
  const block = Buffer.concat([
    bigEndian(3, 'image/png'.length),
    Buffer.from('image/png'),
    bigEndian(0, 16, 16, 24, 0, png.length),
    png,
  ]).toString('base64');
  await make('picture-tag.mka', ...fromMusic(), '-t', '1', '-metadata', `METADATA_BLOCK_PICTURE=${block}`);
  const wishes = [{ format: 'opus_64' }, { format: 'vorbis_96' }, { format: 'flac' }, { format: 'mp3_64' }];
  expect(await encode('picture-tag.mka', wishes)).toMatchObject({ status: 200 });
  const { streams } = await probeAll(outputFile('picture-tag.mka'));
  expect(streams.map(({ codec_type }) => codec_type)).toEqual(['audio', 'video']);
});

/** Figures of 32 bits one after the other. */
function bigEndian(...figures: number[]): Buffer {
  const bytes = Buffer.alloc(figures.length * 4);
  for (const [index, figure] of figures.entries()) bytes.writeUInt32BE(figure, index * 4);
  return bytes;
}

describe('sources that are cut short', () => {
  test.each([
    ['half.wav', []],
    ['half.mp3', ['-b:a', '128k']],
    ['half-vbr.mp3', ['-q:a', '4']],
    ['half.flac', []],
    ['half.webm', ['-c:a', 'libopus']],
    ['half.mka', ['-c:a', 'libvorbis']],
    ['half.m4a', ['-movflags', '+faststart']],
    ['half.aiff', []],
    ['half.au', []],
    ['half.caf', []],
    ['half.w64', []],
    ['half.wma', []],
  ])('%s is source_truncated, and nothing is uploaded', async (name, args) => {
    await make(name, '-i', musicOgg, '-t', '12', ...args);
    await truncate(file(name), Math.round((await stat(file(name))).size / 2));
    const answer = await encode(name, [{ format: 'mp3_128' }, { format: 'wav' }]);
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: 'source_truncated',
        details: { declaredSeconds: expect.closeTo(12, -1), actualSeconds: expect.any(Number) },
      },
    });
    await expectNothingUploaded(name);
  });

  test('behind a chunk that is longer than all that is usually looked at', async () => {
    const bytes = await readFile(await make('list.wav', '-i', musicOgg, '-t', '12'));
    const data = bytes.indexOf('data');
    const list = Buffer.alloc(300_008);
    list.write('JUNK', 0);
    list.writeUInt32LE(300_000, 4);
    await writeFile(file('list.wav'), Buffer.concat([bytes.subarray(0, data), list, bytes.subarray(data, 1_000_000)]));
    expect(await encode('list.wav', [{ format: 'flac' }])).toMatchObject({
      status: 422,
      body: { code: 'source_truncated' },
    });
  });

  test.each([
    ['nearly whole', 0.85, 200],
    ['two and a half seconds missing', 0.7, 422],
  ])('%s: max(2 s, 2 %%) decides', async (_what, share, status) => {
    const name = `share-${share}.wav`;
    await make(name, '-i', musicOgg, '-t', '9', '-c:a', 'pcm_s16le');
    await truncate(file(name), Math.round((await stat(file(name))).size * share));
    expect((await encode(name, [{ format: 'wav' }])).status).toBe(status);
  });

  test('an m4a whose index was at the end is undecodable', async () => {
    await make('no-moov.m4a', ...fromMusic());
    await truncate(file('no-moov.m4a'), 20_000);
    expect(await encode('no-moov.m4a', [{ format: 'wav' }])).toMatchObject({ body: { code: 'undecodable_source' } });
  });
});

describe('what is no media, or wants more than to be decoded', () => {
  test.each([
    ['text.mp3', () => 'Not music, but words. '.repeat(500)],
    ['page.mp3', () => `<html><body>${'x'.repeat(3000)}</body></html>`],
    ['empty.mp3', () => ''],
    ['zeros.wav', () => '\0'.repeat(100_000)],
    ['hls-passwd.mp3', () => '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n'],
    [
      'hls-sibling.mp3',
      () => `#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile://${file('sibling.mp3')}\n#EXT-X-ENDLIST\n`,
    ],
    ['hls-http.mp3', () => `#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n${media.url}/inner.ts\n#EXT-X-ENDLIST\n`],
    ['concat.mp3', () => `ffconcat version 1.0\nfile ${file('music.wav')}\n`],
    ['session.mp3', () => 'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n'],
    [
      'dash.mp3',
      () =>
        `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><AdaptationSet><Representation><BaseURL>${media.url}/inner.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>`,
    ],
  ])('%s is undecodable_source, and no other file is read', async (name, content) => {
    await writeFile(file(name), content());
    expect(await encode(name, [{ format: 'wav' }])).toMatchObject({
      status: 422,
      body: { code: 'undecodable_source' },
    });
    await expectNothingUploaded(name);
    expect(media.requests).toEqual(media.requests.filter((made) => !made.includes('inner')));
  });

  test.each(['png', 'jpg', 'gif', 'webp'])('a picture (%s) is undecodable_source', async (kind) => {
    await make(`picture.${kind}`, '-f', 'lavfi', '-i', 'testsrc=s=64x64:d=1', '-frames:v', '1');
    expect(await encode(`picture.${kind}`, [{ format: 'wav' }])).toMatchObject({
      body: { code: 'undecodable_source' },
    });
  });

  test('sound of no length is undecodable_source', async () => {
    const bytes = await readFile(file('music.wav'));
    const head = bytes.subarray(0, bytes.indexOf('data') + 8);
    head.writeUInt32LE(0, head.length - 4);
    await writeFile(file('nothing.wav'), head);
    const formats = ['mp3_64', 'aac_64', 'opus_64', 'flac', 'wav'].map((format) => ({ format }));
    expect(await encode('nothing.wav', formats)).toMatchObject({ status: 422, body: { code: 'undecodable_source' } });
    await expectNothingUploaded('nothing.wav');
  });
});

describe('sourceSha256', () => {
  test('right, in any case, from a file and over HTTP', async () => {
    const sourceSha256 = (await sha256Of(file('speech.wav'))).toUpperCase();
    expect((await encode('speech.wav', [{ format: 'wav' }], { sourceSha256 })).status).toBe(200);
    const sourceUrl = media.serve('/speech.wav', speechWav);
    expect((await encode('speech.wav', [{ format: 'wav' }], { sourceUrl, sourceSha256 })).status).toBe(200);
  });

  test('wrong: checksum_mismatch, and nothing is uploaded', async () => {
    await copyFile(speechWav, file('summed.wav'));
    const answer = await encode('summed.wav', [{ format: 'wav' }], { sourceSha256: '0'.repeat(64) });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'checksum_mismatch', details: { actual: await sha256Of(speechWav) } },
    });
    await expectNothingUploaded('summed.wav');
  });
});

describe('uploads', () => {
  test('carry their length, type and digest, and are what the answer says', async () => {
    const uploadUrl = `${media.url}/stored.mp3?X-Amz-Signature=secret`;
    const answer = await encode('speech.wav', [], { outputs: [{ format: 'mp3_64', uploadUrl }] });
    const stored = media.stored.get('/stored.mp3');
    const body = stored?.body ?? Buffer.alloc(0);
    expect(answer.body.outputs[0]).toMatchObject({
      size: body.length,
      sha256: createHash('sha256').update(body).digest('hex'),
    });
    expect(stored?.headers).toMatchObject({
      'content-length': String(body.length),
      'content-type': 'audio/mpeg',
      'content-md5': createHash('md5').update(body).digest('base64'),
    });
    expect(stored?.headers).not.toHaveProperty('transfer-encoding');
    // A header that the URL's signature does not cover would be refused by a strict store.
    expect(Object.keys(stored?.headers ?? {}).filter((name) => name.startsWith('x-'))).toEqual([]);
  });

  test('are tried again when the connection breaks and when the store is down, and carry every byte', async () => {
    let tries = 0;
    const bodies: number[] = [];
    const uploadUrl = media.on('PUT /breaking', async (request, response) => {
      tries += 1;
      if (tries === 1) request.once('data', () => request.socket.destroy());
      else {
        let bytes = 0;
        for await (const part of request) bytes += (part as Buffer).length;
        bodies.push(bytes);
        response.writeHead(tries === 2 ? 503 : 200).end();
      }
    });
    const answer = await encode('music.wav', [], { outputs: [{ format: 'wav', uploadUrl }] });
    expect(answer.status).toBe(200);
    expect(tries).toBe(3);
    expect(bodies).toEqual([answer.body.outputs[0].size, answer.body.outputs[0].size]);
  });

  test('a refusal is told as such, even by a store that does not read to the end or whose page breaks off', async () => {
    const early = media.on('PUT /early', (_request, response) => {
      response.writeHead(403, { connection: 'close' }).end('<Error><Code>AccessDenied</Code></Error>');
    });
    const broken = media.on('PUT /broken-page', (request, response) => {
      request.resume().once('end', () => {
        response.writeHead(403, { 'content-length': '9999' });
        response.write('<Error>', () => response.destroy());
      });
    });
    for (const uploadUrl of [early, broken]) {
      const answer = await encode('music.wav', [], { outputs: [{ format: 'wav', uploadUrl }] });
      expect(answer).toMatchObject({ status: 422, body: { code: 'upload_refused', details: { status: 403 } } });
    }
    // Of the early one the reset of its connection may come first; then it is asked again.
    expect(media.count('PUT /broken-page')).toBe(1);
  });

  test('to files: whole or not at all, in folders that are made, under names of any length', async () => {
    const name = `deep/er/${'n'.repeat(255)}`;
    const outputs = [{ format: 'wav', uploadUrl: container.fileUrl(name) }];
    expect((await encode('speech.wav', [], { outputs })).status).toBe(200);
    expect(await readdir(file('deep/er'))).toEqual(['n'.repeat(255)]);
    // Over an older one.
    expect((await encode('speech.wav', [], { outputs: [{ ...outputs[0], format: 'flac' }] })).status).toBe(200);
    expect((await probeAll(file(name))).streams[0]?.codec_name).toBe('flac');
  });

  test.each([
    ['a folder', 'a-folder'],
    ['under a file', 'speech.wav/x'],
    ['too long a name', 'n'.repeat(256)],
  ])('to %s: upload_refused, and nothing half is left', async (_what, name) => {
    const before = await readdir(container.mediaRoot);
    const outputs = [{ format: 'wav', uploadUrl: container.fileUrl(name) }];
    const answer = await encode('speech.wav', [], { outputs });
    expect(answer).toMatchObject({ status: 422, body: { code: 'upload_refused' } });
    expect(JSON.stringify(answer.body)).not.toContain(container.mediaRoot);
    expect(await readdir(container.mediaRoot)).toEqual(before);
  });
});

describe('an ffmpeg that misbehaves', () => {
  const fake = (name: string) => fileURLToPath(new URL(`../../fixtures/ffmpeg/${name}`, import.meta.url));

  /** A container of its own, with this ffmpeg. */
  async function withFfmpeg(
    path: string,
    run: (own: TestContainer) => Promise<void>,
    settings: Record<string, string> = {},
  ): Promise<void> {
    const own = await TestContainer.start({ FFMPEG_PATH: path, ...settings });
    try {
      await copyFile(speechWav, file('speech.wav', own));
      await run(own);
      expect(await own.health()).toMatchObject({ activeJobs: 0 });
      expect(await own.jobFolders()).toEqual([]);
      expect((await processesNaming(own.scratchDir)).filter((line) => line.includes('input'))).toEqual([]);
    } finally {
      await own.stop();
    }
  }

  const someWishes = [{ format: 'wav' }, { format: 'flac' }];

  test.each([
    ['damages-one', ['mp3_64', 'aac_48', 'opus_24', 'flac', 'wav']],
    ['shortens-one', ['wav']],
  ])('%s: output_invalid, and neither it nor its sibling is uploaded', async (name, formats) => {
    await withFfmpeg(fake(name), async (own) => {
      for (const format of formats) {
        const answer = await encode('speech.wav', [{ format: 'flac' }, { format }], {}, own);
        expect(answer).toMatchObject({ status: 422, body: { code: 'output_invalid', details: { format } } });
        await expectNothingUploaded('speech.wav', own);
      }
    });
  });

  test('hangs: stalled, and it is gone', async () => {
    await withFfmpeg(
      fake('hangs'),
      async (own) => {
        expect(await encode('speech.wav', someWishes, {}, own)).toMatchObject({
          status: 504,
          body: { code: 'stalled' },
        });
      },
      { STALL_TIMEOUT_SECONDS: '1' },
    );
  });

  test.each(['hangs', 'deaf', 'leaves-a-child'])('%s: gone when its cancel is answered', async (name) => {
    await withFfmpeg(fake(name), async (own) => {
      const held = encode('speech.wav', someWishes, {}, own);
      const jobId = await own.process.until('active job', async () => (await own.health()).jobs[0]);
      await own.process.until('ffmpeg', async () =>
        (await processesNaming(own.scratchDir)).some((line) => line.includes(fake(name))),
      );
      expect(await own.call('DELETE', `/jobs/${jobId}`)).toMatchObject({ status: 200, body: { state: 'cancelled' } });
      expect(await held).toMatchObject({ status: 499, body: { code: 'cancelled' } });
    });
  });

  test('meets a full disk at the end of an output, and ends well all the same: disk_full', async () => {
    await withFfmpeg(fake('fills-the-disk'), async (own) => {
      const answer = await encode('speech.wav', someWishes, {}, own);
      expect(answer).toMatchObject({ status: 503, body: { code: 'disk_full' } });
      await expectNothingUploaded('speech.wav', own);
    });
  });

  test('dies: ffmpeg_failed', async () => {
    await withFfmpeg(fake('dies'), async (own) => {
      const answer = await encode('speech.wav', someWishes, {}, own);
      expect(answer).toMatchObject({ status: 500, body: { code: 'ffmpeg_failed', details: { signal: 'SIGSEGV' } } });
    });
  });

  test('is not there: /ready says so, and a job fails', async () => {
    await withFfmpeg('/nowhere/ffmpeg', async (own) => {
      const ready = await own.call('GET', '/ready');
      expect(ready).toMatchObject({ status: 503, body: { reason: expect.stringContaining('ffmpeg') } });
      const answer = await encode('speech.wav', someWishes, {}, own);
      expect(answer).toMatchObject({ status: 500, body: { code: 'ffmpeg_failed' } });
      expect(JSON.stringify([ready.body, answer.body])).not.toContain('/nowhere');
      expect((await own.call('GET', '/health')).status).toBe(200);
    });
  });
});

test('after all this nothing is left, and nothing was told that should not be', async () => {
  expect(await container.health()).toMatchObject({ activeJobs: 0, jobs: [] });
  expect(await container.jobFolders()).toEqual([]);
  const { output } = container.process;
  expect(output).not.toContain(container.mediaRoot);
  expect(output).not.toContain(container.scratchDir);
  expect(output).not.toMatch(/"stack"|node_modules|secret/);
  expect(container.process.logLines.filter(({ level }) => (level ?? 0) >= 50)).toEqual([]);
});
