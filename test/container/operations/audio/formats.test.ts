import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { ErrorBody } from '../../../../contract/http/error.ts';
import { musicOgg, speechWav } from '../../../support/media.ts';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import { pcmDigest, placement, rawSamplesOf, samplesOf, sha256Of } from '../../../support/media-files.ts';
import { wavFile } from '../../../media/wav.ts';
import { rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { encode, encoded, expectNothingUploaded, expectTrue, file, fromMusic, make, outputFile } = service;

describe('formats', () => {
  const everyFormat: [DescribedOutput, string][] = [
    [{ format: 'mp3_128' }, 'mp3'],
    [{ format: 'aac_96' }, 'aac'],
    [{ format: 'opus_24', channels: 1, sampleRate: 24_000 }, 'opus'],
    [{ format: 'flac' }, 'flac'],
    [{ format: 'wav' }, 'pcm_s16le'],
    [{ format: 'mp3_64', channels: 1, sampleRate: 22_050 }, 'mp3'],
    [{ format: 'aac_48', channels: 1, sampleRate: 16_000 }, 'aac'],
    [{ format: 'opus_128' }, 'opus'],
  ];

  test('makes eight outputs from one decode and describes each of them truthfully', async () => {
    const requests = everyFormat.map(([request]) => request);
    const answer = await encode('music.wav', requests);
    await expectTrue(
      'music.wav',
      answer,
      requests,
      everyFormat.map(([, codec]) => codec),
    );
    expect(answer.body.source).toEqual({
      ...{ duration: 5, channels: 2, sampleRate: 44_100, bitrate: 1411 },
      complete: true,
    });
  });

  test('keeps the sound of every output where it is in the source', async () => {
    const whole = await samplesOf(file('music.wav'), 8000);
    for (const index of everyFormat.keys()) {
      const { lag, likeness } = placement(await samplesOf(outputFile('music.wav', index), 8000), whole, 0, 8000, 0.05);
      expect(likeness).toBeGreaterThan(0.9);
      expect(Math.abs(lag)).toBeLessThanOrEqual(0.002);
    }
  });

  test('makes the same bytes again in every container', async () => {
    const requests: DescribedOutput[] = [
      ...['opus_24', 'vorbis_64', 'mp3_64', 'aac_96', 'flac'].map((format) => ({ format })),
      { container: 'ogg', audio: { codec: 'flac' } },
      { container: 'webm', audio: { codec: 'opus', bitrate: 64 } },
      { container: 'mka' },
    ];
    const sums = async () => (await encoded('music.wav', requests)).outputs.map(({ sha256 }) => sha256);
    expect(await sums()).toEqual(await sums());
  });

  test('keeps every sample of a 16-bit and a 24-bit source in lossless outputs', async () => {
    await make('24bit.wav', '-i', musicOgg, '-t', '3', '-c:a', 'pcm_s24le');
    for (const [source, samples, bits, codec] of [
      ['music.wav', 's16le', '16', 'pcm_s16le'],
      ['24bit.wav', 's24le', '24', 'pcm_s24le'],
    ] as const) {
      await encoded(source, [{ format: 'flac' }, { format: 'wav' }]);
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
  ])('encodes "mp3" of %i channels at %i kbit/s', async (channels, bitrate) => {
    await make(`channels-${channels}.wav`, ...fromMusic(), '-t', '2', '-ac', String(channels));
    const answer = await encode(`channels-${channels}.wav`, [{ format: 'mp3' }]);
    expect(answer).toMatchObject({
      status: 200,
      body: { outputs: [{ format: 'mp3', bitrate, channels: Math.min(2, channels) }] },
    });
    const { format } = await probeAll(outputFile(`channels-${channels}.wav`));
    expect(Math.round(Number(format.bit_rate) / 1000)).toBeCloseTo(bitrate, -1);
  });

  test('encodes "mp3" of an 8 kHz mono source at its maximum of 64 kbit/s', async () => {
    const answer = await encode('speech.wav', [{ format: 'mp3', sampleRate: 8000 }]);
    expect(answer).toMatchObject({ status: 200, body: { outputs: [{ bitrate: 64, sampleRate: 8000, channels: 1 }] } });
  });

  test.each(rowsExcept([22_050, 48_000], [8000, 22_050, 44_100, 48_000, 96_000]))(
    'encodes a source of %i Hz to every codec',
    async (sampleRate) => {
      const source = `rate-${sampleRate}.wav`;
      await make(source, ...fromMusic(), '-t', '1', '-ar', String(sampleRate));
      const requests = ['mp3_64', 'aac_48', 'opus_48', 'flac', 'wav'].map((format) => ({ format }));
      await expectTrue(source, await encode(source, requests), requests, ['mp3', 'aac', 'opus', 'flac', 'pcm_s16le']);
    },
  );

  test.each(rowsExcept([4, 5, 7], [3, 4, 5, 6, 7, 8]))(
    'keeps %i channels, and makes them from two',
    async (channels) => {
      const source = `layout-${channels}.wav`;
      await make(source, ...fromMusic(), '-t', '1', '-ac', String(channels));
      const requests = ['aac_192', 'opus_192', 'flac', 'wav'].map((format) => ({ format, channels }));
      await expectTrue(source, await encode(source, requests), requests, ['aac', 'opus', 'flac', 'pcm_s16le']);
      await expectTrue('second.wav', await encode('second.wav', requests), requests, [
        'aac',
        'opus',
        'flac',
        'pcm_s16le',
      ]);
    },
  );

  test.each(rowsExcept([3, 4, 6, 8], [3, 4, 5, 6, 7, 8]))(
    'keeps each of %i channels of Opus at its speaker',
    async (channels) => {
      const layout = ['3.0', 'quad', '5.0', '5.1', '6.1', '7.1'][channels - 3];
      const source = `speakers-${channels}.wav`;
      await make(source, '-f', 'lavfi', '-i', `aevalsrc='${tonesOf(channels)}':c=${layout}:s=48000:d=2`);
      await encoded(source, [{ format: 'opus_320' }]);
      expect(await loudestTones(outputFile(source), channels)).toEqual([...Array(channels).keys()]);
    },
  );

  test('keeps each channel of 6.1 with a pair at the back in Opus and Vorbis, whose pair is at the side', async () => {
    const tones = Array.from({ length: 7 }, (_, channel) => `0.1*sin(2*PI*${toneOf(channel)}*t)`).join('|');
    await make('back.wav', '-f', 'lavfi', '-i', `aevalsrc='${tones}':c=6.1(back):s=48000:d=2`);
    await encoded('back.wav', [{ format: 'opus_320' }, { container: 'mka', audio: { codec: 'vorbis', bitrate: 320 } }]);
    // Left, right, centre, low frequencies, centre of the back, left, right.
    for (const index of [0, 1]) {
      expect(await loudestTones(outputFile('back.wav', index), 7)).toEqual([0, 1, 2, 3, 6, 4, 5]);
    }
  });

  test.each([
    ['the back', 0x30],
    ['the sides', 0x6_00],
    ['left and centre', 0x5],
  ])('encodes a pair of speakers that ffmpeg cannot mix, %s, as left and right', async (_, mask) => {
    const tones = [0, 1].map((channel) => `0.1*sin(2*PI*${toneOf(channel)}*t)`).join('|');
    await make('pair.wav', '-f', 'lavfi', '-i', `aevalsrc='${tones}':c=stereo:s=48000:d=2`);
    const samples = (await readFile(file('pair.wav'))).subarray(-2 * 48_000 * 4);
    const extra = Buffer.alloc(24);
    for (const [place, value] of [
      [0, 22],
      [2, 16],
      [4, mask],
      [8, 1],
    ] as const)
      extra.writeUInt16LE(value, place);
    extra.set(Buffer.from('000000001000800000aa00389b71', 'hex'), 10);
    const shape = { tag: 0xff_fe, channels: 2, sampleRate: 48_000, bitsPerSample: 16, extra };
    await writeFile(file('odd-pair.wav'), wavFile(shape, samples));
    await encoded('odd-pair.wav', [{ format: 'flac' }, { format: 'opus_96' }, { format: 'flac', downmix: 'right' }]);
    for (const index of [0, 1]) expect(await loudestTones(outputFile('odd-pair.wav', index), 2)).toEqual([0, 1]);
    expect(await loudestTones(outputFile('odd-pair.wav', 2), 1, 2)).toEqual([1]);
  });

  test.each([
    // As 2.1, the third channel would be left out.
    [3, ['alac', 'opus_192', 'vorbis_192']],
    // As 4.0, all channels would be mixed for Opus and Vorbis.
    [4, ['alac', 'opus_192', 'vorbis_192']],
    // As 7.1, the pairs would be mixed for the 7.1(wide) of ALAC.
    [8, ['alac']],
  ])('keeps each of %i channels whose speakers the source does not name', async (channels, formats) => {
    const source = `unnamed-${channels}.wav`;
    await make('named.wav', '-f', 'lavfi', '-i', `aevalsrc='${tonesOf(channels)}':s=48000:d=2`);
    const samples = (await readFile(file('named.wav'))).subarray(-2 * 48_000 * channels * 2);
    await writeFile(file(source), wavFile({ tag: 1, channels, sampleRate: 48_000, bitsPerSample: 16 }, samples));
    await encoded(
      source,
      formats.map((format) => ({ format })),
    );
    const inOrder = [...Array(channels).keys()];
    for (const index of formats.keys()) {
      expect(await loudestTones(outputFile(source, index), channels)).toEqual(inOrder);
    }
  });

  test('mixes the third of three unnamed channels into both sides of stereo', async () => {
    await encoded('unnamed-3.wav', [{ format: 'flac', channels: 2 }]);
    expect(await tonesHeard(outputFile('unnamed-3.wav'), 2, 3)).toEqual([
      [0, 2],
      [1, 2],
    ]);
  });

  test('gives more channels than the source has their usual speakers, and mono to the centre', async () => {
    const counts = [2, 3, 4, 5, 6, 7, 8];
    await make('one.wav', '-f', 'lavfi', '-i', `aevalsrc='${tonesOf(1)}':s=48000:d=2`);
    await encoded(
      'one.wav',
      counts.map((channels) => ({ format: 'flac', channels })),
    );
    const heard = [[0, 1], [2], [0, 1], [2], [2], [2], [2]];
    for (const [index, channels] of counts.entries()) {
      const sounds = await tonesHeard(outputFile('one.wav', index), channels, 1);
      expect(sounds.flatMap((tones, channel) => (tones.length > 0 ? [channel] : []))).toEqual(heard[index]);
    }
  });

  test('mixes speakers without a named layout that ffmpeg can mix, such as those of AC-3', async () => {
    await make('mono-low.wav', '-f', 'lavfi', '-i', `aevalsrc='${tonesOf(2)}':c=FC+LFE:s=48000:d=2`);
    await make('quad-low.wav', '-f', 'lavfi', '-i', `aevalsrc='${tonesOf(5)}':c=FL+FR+LFE+SL+SR:s=48000:d=2`);
    await encoded('mono-low.wav', [{ format: 'flac' }]);
    await encoded('quad-low.wav', [{ format: 'flac', channels: 2 }]);
    // The centre is on both sides, and the low frequencies are left out.
    expect(await loudestTones(outputFile('mono-low.wav'), 2)).toEqual([0, 0]);
    expect(await loudestTones(outputFile('quad-low.wav'), 2, 5)).toEqual([0, 1]);
  });

  test('refuses three speakers that cannot be mixed, and says why', async () => {
    await make('three.wav', '-f', 'lavfi', '-i', 'aevalsrc=0.1|0.1|0.1:c=FL+FR+BL:s=48000:d=1');
    const { body } = await encode('three.wav', [{ format: 'flac' }]);
    expect(body).toMatchObject({
      code: 'unsupported_format',
      error: expect.stringContaining('3 channels (FL+FR+BL), cannot be mixed'),
    });
  });

  test('keeps the speaker layout of a lossless copy', async () => {
    await make('quad.wav', ...fromMusic(), '-t', '1', '-af', 'pan=quad|FL=c0|FR=c1|BL=0.5*c0|BR=0.5*c1');
    await make('side.wav', ...fromMusic(), '-t', '1', '-af', 'pan=5.1(side)|FL=c0|FR=c1|FC=0*c0|LFE=0*c0|SL=c0|SR=c1');
    for (const [source, layout, channels] of [
      ['back.wav', '6.1(back)', 7],
      ['wide.wav', '7.1(wide-side)', 8],
    ] as const) {
      await make(source, '-f', 'lavfi', '-i', `aevalsrc='${tonesOf(channels)}':c=${layout}:d=1`);
    }
    for (const source of ['quad.wav', 'side.wav', 'back.wav', 'wide.wav']) {
      await encoded(source, [{ format: 'flac' }, { format: 'wav' }]);
      for (const index of [0, 1]) {
        expect(await pcmDigest(outputFile(source, index), 's16le')).toBe(await pcmDigest(file(source), 's16le'));
      }
    }
  });

  test.each<[DescribedOutput]>([
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
  ])('rejects %o as unsupported_format', async (request) => {
    const answer = await encode('music.wav', [{ format: 'wav' }, request]);
    expect(answer.status).toBe(422);
    expect(ErrorBody.parse(answer.body)).toMatchObject({
      code: 'unsupported_format',
      details: { format: request.format },
    });
  });
});

describe('sourceSha256', () => {
  test('accepts the right sourceSha256 in upper and lower case, from a file and over HTTP', async () => {
    const sourceSha256 = (await sha256Of(file('speech.wav'))).toUpperCase();
    await encoded('speech.wav', [{ format: 'wav' }], { sourceSha256 });
    const sourceUrl = service.media.serve('/speech.wav', speechWav);
    await encoded('speech.wav', [{ format: 'wav' }], { sourceUrl, sourceSha256 });
  });

  test('rejects a wrong sourceSha256 as checksum_mismatch and uploads nothing', async () => {
    await copyFile(speechWav, file('summed.wav'));
    const answer = await encode('summed.wav', [{ format: 'wav' }], { sourceSha256: '0'.repeat(64) });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'checksum_mismatch', details: { actual: await sha256Of(speechWav) } },
    });
    await expectNothingUploaded('summed.wav');
  });
});

test('states the length of FLAC in Matroska whose last frame has a few samples', async () => {
  // ffmpeg's frames of FLAC have 4,608 samples at this rate.
  await make('last-frame.wav', '-f', 'lavfi', '-i', 'sine=r=48000', '-af', `atrim=end_sample=${4608 + 5}`);
  await encoded('last-frame.wav', [{ container: 'mka', audio: { codec: 'flac' } }]);
  expect(await pcmDigest(outputFile('last-frame.wav'), 's16le')).toBe(await pcmDigest(file('last-frame.wav'), 's16le'));
  expect(Number((await probeAll(outputFile('last-frame.wav'))).format.duration)).toBeCloseTo(4613 / 48_000, 2);
});

test('carries title and artist from every kind of tag to every other', async () => {
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

test('does not count a picture in a Vorbis comment as an unwanted stream', async () => {
  const png = await readFile(await make('tag.png', '-f', 'lavfi', '-i', 'color=red:s=16x16', '-frames:v', '1'));
  // A picture block (RFC 9639, 8.8) in base64: a front cover of 16 x 16 pixels in 24 bits.
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

/** 32-bit numbers, one after the other. */
function bigEndian(...figures: number[]): Buffer {
  const bytes = Buffer.alloc(figures.length * 4);
  for (const [index, figure] of figures.entries()) bytes.writeUInt32BE(figure, index * 4);
  return bytes;
}

/** Hz. Every tone is low enough for the channel of low frequencies. */
const toneOf = (channel: number): number => 40 + 10 * channel;

/** Expressions of ffmpeg's aevalsrc for a tone in each channel. */
function tonesOf(channels: number): string {
  return Array.from({ length: channels }, (_, channel) => `0.1*sin(2*PI*${toneOf(channel)}*t)`).join('|');
}

/** Returns the power of each tone in each channel; 24,000 is a tone at full scale. */
async function tonePowers(path: string, channels: number, tones: number): Promise<number[][]> {
  const samples = await rawSamplesOf(path, 'f32le');
  const powers = (channel: number): number[] =>
    Array.from({ length: tones }, (_, tone) => {
      let [real, imaginary] = [0, 0];
      // One second from half a second on has whole waves of each tone.
      for (let at = 24_000; at < 72_000; at += 1) {
        const angle = (2 * Math.PI * toneOf(tone) * at) / 48_000;
        real += (samples[at * channels + channel] ?? 0) * Math.cos(angle);
        imaginary += (samples[at * channels + channel] ?? 0) * Math.sin(angle);
      }
      return Math.hypot(real, imaginary);
    });
  return Array.from({ length: channels }, (_, channel) => powers(channel));
}

/** Returns the index of the loudest tone of each channel. */
async function loudestTones(path: string, channels: number, tones = channels): Promise<number[]> {
  const powers = await tonePowers(path, channels, tones);
  return powers.map((found) => found.indexOf(Math.max(...found)));
}

/** Returns the indices of the tones that each channel contains. */
async function tonesHeard(path: string, channels: number, tones: number): Promise<number[][]> {
  const powers = await tonePowers(path, channels, tones);
  return powers.map((found) => found.flatMap((power, tone) => (power > 100 ? [tone] : [])));
}
