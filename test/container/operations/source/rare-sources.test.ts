import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { amrFile, dffFile, dsfFile, sphereFile } from '../../../support/rare-media.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { pcmDigest } from '../../../support/media-files.ts';

const service = await useEncodes();
const { encode, file, make, outputFile } = service;

const fromMusic = () => ['-i', file('second.wav')];

const telephone = ['-ar', '8000', '-ac', '1'];
const picture = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:r=10:d=1'];

/** Encodes to PCM and compares every sample with plain ffmpeg's. */
async function expectSamplesOfPlainFfmpeg(name: string): Promise<void> {
  const answer = await encode(name, [{ format: 'wav' }]);
  expect(answer.body).toMatchObject({ success: true });
  const depth = answer.body.outputs[0].streams[0].codec === 'pcm_s24le' ? 's24le' : 's16le';
  expect(await pcmDigest(outputFile(name), depth)).toBe(await pcmDigest(file(name), depth));
}

describe('sound of videos with rare pictures', () => {
  test.each([
    ['r10k.mov', ['-c:v', 'r10k', '-c:a', 'aac']],
    ['smc.mov', ['-pix_fmt', 'pal8', '-c:v', 'smc', '-c:a', 'alac']],
    ['zlib.avi', ['-c:v', 'zlib', '-c:a', 'libmp3lame']],
    ['y41p.avi', ['-c:v', 'y41p', '-c:a', 'pcm_s16le']],
    ['dv.mov', ['-c:v', 'dvvideo', '-s', '720x576', '-r', '25', '-pix_fmt', 'yuv420p', '-c:a', 'pcm_s24be']],
    ['huffman.mkv', ['-c:v', 'huffyuv', '-c:a', 'flac']],
  ])('encodes the sound of %s whatever its pictures are', async (name, codecs) => {
    await make(name, ...picture, ...fromMusic(), ...codecs);
    await expectSamplesOfPlainFfmpeg(name);
  });

  test('cuts the sound beside rare pictures into chunks', async () => {
    await make('chunked.mov', ...picture, ...fromMusic(), '-c:v', 'r10k', '-c:a', 'aac');
    const chunks = [0, 1].map((index) => ({ index, uploadUrl: service.container.fileUrl(`out/chunked/${index}`) }));
    const request = {
      sourceUrl: service.container.fileUrl('chunked.mov'),
      chunkDuration: 1,
      overlapDuration: 0.5,
      chunks,
    };
    const answer = await service.container.call('POST', '/chunk', request);
    expect(answer.body).toMatchObject({ success: true, totalChunks: 2 });
  });

  test('encodes the sound beside pictures whose header is damaged', async () => {
    await make('damaged.mkv', ...picture, ...fromMusic(), '-c:v', 'libtheora', '-c:a', 'flac');
    const bytes = await readFile(file('damaged.mkv'));
    // Without the identification header (Theora I, 6.2) the decoder does not open.
    bytes.fill(0xff, bytes.indexOf('\x80theora', 0, 'latin1'), bytes.indexOf('\x82theora', 0, 'latin1'));
    await writeFile(file('damaged.mkv'), bytes);
    await expectSamplesOfPlainFfmpeg('damaged.mkv');
  });

  test('describes rare pictures by codec and size, and their sound by its figures', async () => {
    await make('described.mov', ...picture, ...fromMusic(), '-c:v', 'r10k', '-c:a', 'alac');
    const answer = await service.container.call('POST', '/metadata', {
      sourceUrl: service.container.fileUrl('described.mov'),
    });
    expect(answer.body).toMatchObject({
      format: 'mov,mp4,m4a,3gp,3g2,mj2',
      streams: [
        { index: 0, type: 'video', codec: 'r10k', width: 64, height: 64, fps: 10 },
        { index: 1, type: 'audio', codec: 'alac', channels: 2, sampleRate: 44_100 },
      ],
    });
  });

  test('rejects rare pictures without sound as no_audio', async () => {
    await make('mute.mov', ...picture, '-c:v', 'r10k');
    expect(await encode('mute.mov', [{ format: 'wav' }])).toMatchObject({ status: 422, body: { code: 'no_audio' } });
  });
});

describe('sound of broadcasters, telephones and studios', () => {
  test.each([
    ['broadcast.mxf', [...picture, '-r', '25', '-c:v', 'mpeg2video', '-c:a', 'pcm_s24le', '-ar', '48000']],
    ['302m.ts', ['-c:a', 's302m', '-ar', '48000', '-strict', '-2']],
    ['g722.wav', ['-c:a', 'g722', '-ar', '16000', '-ac', '1']],
    ['g726.wav', ['-c:a', 'g726', '-b:a', '32k', ...telephone]],
    ['g723.wav', ['-c:a', 'g723_1', '-b:a', '6.3k', ...telephone]],
    ['yamaha.wav', ['-c:a', 'adpcm_yamaha']],
    ['raw.thd', ['-c:a', 'truehd', '-strict', '-2']],
    ['raw.mlp', ['-c:a', 'mlp', '-strict', '-2']],
    ['bytes.voc', ['-c:a', 'pcm_u8']],
    ['words.voc', ['-c:a', 'pcm_s16le']],
    ['own.nut', ['-c:a', 'flac']],
    ['studio.sf', ['-f', 'ircam', '-c:a', 'pcm_s16le']],
    ['latm.loas', ['-c:a', 'aac', '-f', 'latm']],
  ])('encodes every sample of %s', async (name, args) => {
    // MXF requires the picture first.
    const isPicture = args[0] === '-f' && args[1] === 'lavfi';
    const [before, after] = isPicture ? [args.slice(0, 4), args.slice(4)] : [[], args];
    await make(name, ...before, ...fromMusic(), ...after);
    await expectSamplesOfPlainFfmpeg(name);
  });

  test('keeps all 24 bits of TrueHD', async () => {
    await make('deep.thd', ...fromMusic(), '-c:a', 'truehd', '-sample_fmt', 's32', '-strict', '-2');
    await encode('deep.thd', [{ format: 'flac' }]);
    expect(await pcmDigest(outputFile('deep.thd'), 's24le')).toBe(await pcmDigest(file('deep.thd'), 's24le'));
  });

  test.each([
    ['one.dsf', dsfFile],
    ['one.dff', dffFile],
    ['narrow.amr', amrFile],
  ])('encodes %s, for which ffmpeg has no encoder', async (name, build) => {
    await writeFile(file(name), build(1));
    const answer = await encode(name, [{ format: 'flac' }, { format: 'mp3_64' }]);
    expect(answer.body).toMatchObject({ success: true });
    expect(answer.body.source.duration).toBeCloseTo(1, 2);
    expect(await pcmDigest(outputFile(name), 's24le')).toBe(await pcmDigest(file(name), 's24le'));
  });

  test('encodes NIST SPHERE, and recognises a file that was cut off', async () => {
    await make('speech.raw', ...fromMusic(), '-ac', '1', '-ar', '16000', '-f', 's16le');
    const samples = await readFile(file('speech.raw'));
    const whole = sphereFile(Buffer.concat([samples, samples, samples, samples, samples]), 16_000);
    await writeFile(file('speech.sph'), whole);
    await expectSamplesOfPlainFfmpeg('speech.sph');
    await writeFile(file('cut.sph'), whole.subarray(0, whole.length / 3));
    expect((await encode('cut.sph', [{ format: 'wav' }])).body).toMatchObject({ code: 'source_truncated' });
  });

  test('refuses floating point without a header, which ffmpeg takes for AMR', async () => {
    await make('headerless.f64', '-f', 'lavfi', '-i', 'sine=f=440:d=2', '-f', 'f64le');
    expect((await encode('headerless.f64', [{ format: 'wav' }])).body).toMatchObject({ code: 'undecodable_source' });
  });

  test('encodes DSD256, which ffmpeg decodes to 1,411,200 Hz', async () => {
    await writeFile(file('four.dff'), dffFile(0.5, 4 * 2_822_400));
    const answer = await encode('four.dff', [{ format: 'flac' }, { format: 'wav' }, { format: 'aac_96' }]);
    expect(answer.body).toMatchObject({
      source: { sampleRate: 1_411_200, duration: expect.closeTo(0.5, 2) },
      outputs: [{ sampleRate: 352_800 }, { sampleRate: 1_411_200 }, { sampleRate: 96_000 }],
    });
  });

  test('encodes HE-AAC at its full sample rate', async () => {
    await make('low.m4a', ...fromMusic(), '-c:a', 'aac', '-ar', '22050');
    const bytes = await readFile(file('low.m4a'));
    // AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1): LC with the extension of spectral band replication switched off.
    const at = bytes.indexOf(Buffer.from('56e500', 'hex'));
    expect(at).toBeGreaterThan(0);
    // Switches it on with 44,100 Hz.
    bytes[at + 2] = 0xa0;
    await writeFile(file('he.m4a'), bytes);
    await expectSamplesOfPlainFfmpeg('he.m4a');
    const answer = await encode('he.m4a', [{ format: 'mp3_128' }]);
    expect(answer.body.source).toMatchObject({ sampleRate: 44_100, duration: expect.closeTo(1, 1) });
  });
});

test('plays Opus of a CAF file that was cut, whose clock is too slow, without gaps', async () => {
  await make('whole.ogg', ...fromMusic(), '-c:a', 'libopus');
  await make('cut.caf', '-ss', '0.4', '-i', file('whole.ogg'), '-c', 'copy');
  await expectSamplesOfPlainFfmpeg('cut.caf');
});

test.each([
  ['before', 'cut.ogg', ['-ss', '0.2'], []],
  ['after', 'late.ogg', [], ['-output_ts_offset', '4']],
])('plays FLAC in Ogg that begins %s its zero without an overlap or a gap', async (_, name, before, after) => {
  await make('whole.flac', ...service.fromMusic(), '-t', '3', '-c:a', 'flac');
  await make(name, ...before, '-i', file('whole.flac'), '-c', 'copy', ...after);
  await expectSamplesOfPlainFfmpeg(name);
});

test('plays chained FLAC in Ogg whose parts begin before or after their zero without an overlap or a gap', async () => {
  const samplesOf = async (path: string) => {
    await make('samples.raw', '-i', path, '-f', 's16le');
    return await readFile(file('samples.raw'));
  };
  await make('whole.flac', ...service.fromMusic(), '-t', '3', '-c:a', 'flac');
  const late = await make('0.ogg', '-i', file('whole.flac'), '-c', 'copy', '-output_ts_offset', '4');
  const cut = await make('1.ogg', '-ss', '0.2', '-i', file('whole.flac'), '-c', 'copy');
  const parts = [late, cut, late];
  await writeFile(file('chained.ogg'), Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))));
  expect((await encode('chained.ogg', [{ format: 'wav' }])).body).toMatchObject({ success: true });
  const [ofLate, ofCut] = [await samplesOf(late), await samplesOf(cut)];
  expect((await samplesOf(outputFile('chained.ogg'))).equals(Buffer.concat([ofLate, ofCut, ofLate]))).toBe(true);
});
