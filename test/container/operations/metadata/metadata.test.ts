import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MetadataResult } from '../../../../contract/http/metadata.ts';
import { musicOgg } from '../../../support/media.ts';
import { useService } from '../../http/support.ts';
import { makeMedia, samplesOf, words } from '../../../support/media-files.ts';

const service = await useService();

test('reports duration, format and stream of a sound file', async () => {
  const answer = await service.post('/metadata', { sourceUrl: service.speech() });
  expect(MetadataResult.parse(answer.body)).toMatchObject({
    duration: expect.closeTo(15.2, 0),
    format: 'wav',
    streams: [{ index: 0, type: 'audio', codec: 'pcm_s16le', channels: 1, sampleRate: 8000, bitrate: 128 }],
  });
});

test('reports the whole length of FLAC from the middle of a stream', async () => {
  const { mediaRoot } = service.container;
  const options = words('-f lavfi -i anoisesrc=r=44100:d=6:seed=2 -sample_fmt s16 -frame_size 4096');
  const file = await readFile(await makeMedia(mediaRoot, 'whole.flac', ...options));
  // A frame of 4096 samples begins with these bytes (RFC 9639, 9.1).
  await writeFile(join(mediaRoot, 'middle.flac'), file.subarray(file.indexOf(Buffer.from([0xff, 0xf8, 0xc9]), 90_000)));
  const { body } = await service.post('/metadata', { sourceUrl: service.container.fileUrl('middle.flac') });
  const samples = (await samplesOf(join(mediaRoot, 'whole.flac'), 44_100)).length;
  const { duration } = MetadataResult.parse(body);
  expect(duration).toBeGreaterThan(4);
  expect(duration).toBeLessThan(samples / 44_100);
});

test('reports all streams, tags and chapters of a video', async () => {
  const [subtitles, chapters] = [
    join(service.container.mediaRoot, 's.srt'),
    join(service.container.mediaRoot, 'c.txt'),
  ];
  await writeFile(subtitles, '1\n00:00:00,500 --> 00:00:01,000\nHello\n');
  await writeFile(chapters, ';FFMETADATA1\ntitle=A film\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=One\n');
  await makeMedia(
    service.container.mediaRoot,
    'film.mkv',
    ...['-f', 'lavfi', '-i', 'testsrc=s=160x120:r=30000/1001:d=2', '-i', musicOgg, '-i', subtitles, '-i', chapters],
    ...['-map', '0', '-map', '1', '-map', '2', '-map_metadata', '3', '-t', '2', '-c:v', 'libx264', '-c:a', 'aac'],
  );
  const answer = await service.post('/metadata', { sourceUrl: service.container.fileUrl('film.mkv') });
  expect(answer.status).toBe(200);
  const result = MetadataResult.parse(answer.body);
  expect(result.streams.map(({ type, codec }) => [type, codec])).toEqual([
    ['video', 'h264'],
    ['audio', 'aac'],
    ['subtitle', 'ass'],
  ]);
  expect(result.streams[0]).toMatchObject({ width: 160, height: 120, fps: 29.97 });
  expect(result.chapters).toEqual([{ start: 0, end: 1, title: 'One' }]);
  expect(result.tags).toMatchObject({ title: 'A film' });
  expect(result.duration).toBeCloseTo(2, 0);
});

test('limits giant tags and titles of chapters, so that the result of a run keeps its size', async () => {
  const chapters = join(service.container.mediaRoot, 'giant.txt');
  const giant = 'x'.repeat(100_000);
  await writeFile(chapters, `;FFMETADATA1\ntitle=${giant}\n[CHAPTER]\nSTART=0\nEND=1000000000\ntitle=${giant}\n`);
  const inputs = ['-i', musicOgg, '-i', chapters, '-map', '0', '-map_metadata', '1'];
  await makeMedia(service.container.mediaRoot, 'giant.mka', ...inputs, '-t', '1', '-c:a', 'flac');
  const { body } = await service.post('/metadata', { sourceUrl: service.container.fileUrl('giant.mka') });
  expect(MetadataResult.parse(body)).toMatchObject({
    ...{ tags: { title: 'x'.repeat(500) }, chapters: [{ title: 'x'.repeat(500) }] },
  });
});

test('measures the first audio stream with sound, and lists empty ones last', async () => {
  const nothing = ['-f', 'lavfi', '-i', 'anullsrc,atrim=end=0'];
  await makeMedia(
    service.container.mediaRoot,
    'empty.mkv',
    ...[...words('-f lavfi -i testsrc2=s=64x48:r=10:d=1'), ...nothing, '-i', musicOgg],
    ...words('-map 0:v -map 1:a -map 2:a -t 3 -c:a:0 aac -c:a:1 libopus'),
  );
  const { body } = await service.post('/metadata', { sourceUrl: service.container.fileUrl('empty.mkv') });
  const { duration, streams } = MetadataResult.parse(body);
  expect(duration).toBeCloseTo(3, 1);
  expect(streams.map(({ index, codec }) => [index, codec])).toEqual([
    [0, 'h264'],
    [2, 'opus'],
    [1, 'aac'],
  ]);
});

test.each([
  ['talk.opus', 'ogg', 'libopus'],
  ['talk.flac', 'flac', 'flac'],
])('reports tags and bitrate of %s, wherever the file keeps its tags', async (name, format, encoder) => {
  await makeMedia(
    service.container.mediaRoot,
    name,
    '-i',
    musicOgg,
    ...words('-t 2 -map_metadata -1 -vn'),
    ...[...['-c:a', encoder, '-metadata', 'title=Tälk']],
  );
  const answer = await service.post('/metadata', { sourceUrl: service.container.fileUrl(name) });
  expect(MetadataResult.parse(answer.body)).toMatchObject({
    format,
    streams: [{ type: 'audio', bitrate: expect.any(Number) }],
    tags: { title: 'Tälk' },
  });
});

test('rejects a source that is no media, missing or forbidden, and leaves nothing behind', async () => {
  const page = service.media.on('GET /page', (_request, response) => void response.end('<html></html>'.repeat(100)));
  for (const [sourceUrl, status, code] of [
    [page, 422, 'undecodable_source'],
    [`${service.media.url}/missing`, 404, 'source_not_found'],
    ['http://10.0.0.1/x', 403, 'source_forbidden'],
    ['file:///etc/passwd', 403, 'source_forbidden'],
  ]) {
    expect(await service.post('/metadata', { sourceUrl })).toMatchObject({ status, body: { success: false, code } });
  }
  expect(await service.container.jobFolders()).toEqual([]);
});
