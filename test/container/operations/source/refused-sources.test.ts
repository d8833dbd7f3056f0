import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { musicOgg } from '../../../support/media.ts';
import { useEncodes } from '../../../support/encodes.ts';

const service = await useEncodes();
const { encode, expectNothingUploaded, file, fromMusic, make } = service;

describe('truncated sources', () => {
  test('detects a truncation after a chunk longer than the usual probe', async () => {
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
    ['little missing', 0.85, 200],
    ['two and a half seconds missing', 0.7, 422],
  ])('judges a source with %s by max(2 s, 2 %%)', async (_what, share, status) => {
    const name = `share-${share}.wav`;
    await make(name, '-i', musicOgg, '-t', '9', '-c:a', 'pcm_s16le');
    await truncate(file(name), Math.round((await stat(file(name))).size * share));
    expect((await encode(name, [{ format: 'wav' }])).status).toBe(status);
  });

  test('rejects an m4a that has lost the index at its end as undecodable_source', async () => {
    await make('no-moov.m4a', ...fromMusic());
    await truncate(file('no-moov.m4a'), 20_000);
    expect(await encode('no-moov.m4a', [{ format: 'wav' }])).toMatchObject({ body: { code: 'undecodable_source' } });
  });
});

test('names samples of 24 bits in 32-bit containers, which a WAV may have', async () => {
  const bytes = await readFile(await make('padded.wav', '-i', musicOgg, '-t', '1', '-ac', '3', '-c:a', 'pcm_s32le'));
  // The valid bits of the extensible header.
  bytes.writeUInt16LE(24, bytes.indexOf('fmt ') + 26);
  await writeFile(file('padded.wav'), bytes);
  expect(await encode('padded.wav', [{ format: 'wav' }])).toMatchObject({
    status: 422,
    body: { code: 'undecodable_source', error: expect.stringContaining('24-bit samples in 32-bit containers') },
  });
});

describe('files that are not media', () => {
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
    [
      'hls-http.mp3',
      () => `#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n${service.media.url}/inner.ts\n#EXT-X-ENDLIST\n`,
    ],
    ['concat.mp3', () => `ffconcat version 1.0\nfile ${file('music.wav')}\n`],
    ['session.mp3', () => 'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n'],
    [
      'dash.mp3',
      () =>
        `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><AdaptationSet><Representation><BaseURL>${service.media.url}/inner.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>`,
    ],
  ])('rejects %s as undecodable_source and reads no other file', async (name, content) => {
    await writeFile(file(name), content());
    expect(await encode(name, [{ format: 'wav' }])).toMatchObject({
      status: 422,
      body: { code: 'undecodable_source' },
    });
    await expectNothingUploaded(name);
    expect(service.media.requests).toEqual(service.media.requests.filter((made) => !made.includes('inner')));
  });

  test.each([
    ['png', 'unsupported_format'],
    ['apng', 'unsupported_format'],
    ['jpg', 'unsupported_format'],
    ['webp', 'unsupported_format'],
    // A GIF may be a film.
    ['gif', 'no_audio'],
  ])('rejects a picture (%s) as %s', async (kind, code) => {
    await make(`picture.${kind}`, '-f', 'lavfi', '-i', 'testsrc=s=64x64:d=1', '-frames:v', '1');
    expect(await encode(`picture.${kind}`, [{ format: 'wav' }])).toMatchObject({ body: { code } });
  });

  test('rejects sound of no length as undecodable_source', async () => {
    const bytes = await readFile(file('music.wav'));
    const head = bytes.subarray(0, bytes.indexOf('data') + 8);
    head.writeUInt32LE(0, head.length - 4);
    await writeFile(file('nothing.wav'), head);
    const formats = ['mp3_64', 'aac_64', 'opus_64', 'flac', 'wav'].map((format) => ({ format }));
    expect(await encode('nothing.wav', formats)).toMatchObject({ status: 422, body: { code: 'undecodable_source' } });
    await expectNothingUploaded('nothing.wav');
  });
});

test('rejects nine channels for unnamed speakers, and states their number', async () => {
  const copies = Array.from({ length: 9 }, () => 'val(0)').join('|');
  await make('nine.wav', '-i', file('second.wav'), '-af', `aeval=${copies}`, '-c:a', 'pcm_s16le');
  const answer = await encode('nine.wav', [{ format: 'mp3_128' }]);
  expect(answer).toMatchObject({ status: 422, body: { code: 'unsupported_format', details: { channels: 9 } } });
  expect(answer.body.error).toMatch(/the source has 9 channels and no channel layout.*send it with at most 8/);
  await expectNothingUploaded('nine.wav');
});

test('rejects a gap in the time stamps that is too long to fill, rather than drop the sound after it', async () => {
  // The silence that fills a gap is held in memory, which fits three minutes of eight channels.
  const sound = "aevalsrc='0.5*sin(440*2*PI*t)':c=7.1:s=48000:d=2";
  const hole = ['-af', "asetpts='PTS+if(gte(T,1),600/TB,0)'"];
  await make('hole.nut', '-f', 'lavfi', '-i', sound, ...hole, '-c:a', 'pcm_f32le');
  expect(await encode('hole.nut', [{ format: 'wav' }])).toMatchObject({
    status: 422,
    body: { code: 'undecodable_source', error: expect.stringContaining('a gap of 600 seconds in its time stamps') },
  });
  await expectNothingUploaded('hole.nut');
});
