import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { probeChapters } from '../../../engine/formats/tags/read-tags.ts';
import { useEncodes } from '../../../support/encodes.ts';

// Linked files come from outside: they are inspected in the sandbox, and are used as requested or not at all.

const service = await useEncodes();
const { make, encode, file, expectNothingUploaded } = service;

const picture = (name: string, size: string) => make(name, '-f', 'lavfi', '-i', `testsrc=s=${size}`, '-frames:v', '1');
const fileUrlOf = (name: string): string => service.container.fileUrl(name);

describe('unusable covers and chapter files', () => {
  test.each([
    ['an SVG', 'image.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>1</script></svg>'],
    ['a page of HTML', 'page.html', '<!doctype html><script>alert(1)</script>'],
    ['nothing', 'empty', ''],
    ['half a JPEG', 'half.jpg', Buffer.from('ffd8ffe000104a46494600', 'hex')],
    ['a playlist', 'list.m3u8', '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\n'],
  ])('rejects %s as a cover and uploads nothing', async (_what, name, content) => {
    await writeFile(file(name), content);
    const answer = await encode(name, [{ format: 'mp3_64', cover: { url: fileUrlOf(name) } }], {
      sourceUrl: fileUrlOf('second.wav'),
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', details: { field: 'cover' } } });
    expect(answer.body.error).toMatch(/^The cover cannot be used: /);
    await expectNothingUploaded(name);
  });

  test('rejects a cover of 400 million pixels before it is decoded', async () => {
    const png = await readFile(await picture('huge.png', '16x16'));
    // IHDR has the size. Decoders allocate memory before they verify its checksum.
    png.writeUInt32BE(20_000, 16);
    png.writeUInt32BE(20_000, 20);
    await writeFile(file('huge.png'), png);
    const answer = await encode('second.wav', [{ format: 'mp3_64', cover: { url: fileUrlOf('huge.png') } }]);
    expect(answer).toMatchObject({ status: 400, body: { details: { field: 'cover' } } });
  });

  test.each([
    ['no JSON', 'chapters: []', /the file is no JSON/],
    ['no list', '{"chapters": 7}', /the file is no list of podcast chapters/],
    ['a start that is no number', '{"chapters": [{"startTime": "1:00"}]}', /chapters\.0\.startTime/],
    ['1001', JSON.stringify({ chapters: Array.from({ length: 1001 }, (_, startTime) => ({ startTime })) }), /1001/],
  ])('rejects a chapter file with this fault: %s', async (_what, content, message) => {
    await writeFile(file('bad.json'), content);
    const answer = await encode('second.wav', [{ format: 'mp3_64', chapters: { url: fileUrlOf('bad.json') } }]);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', details: { field: 'chapters' } } });
    expect(answer.body.error).toMatch(message);
  });

  test.each(['chapters', 'cover'] as const)('stops reading an endless body as %s', async (field) => {
    let sent = 0;
    const url = service.media.on(`GET /endless-${field}`, (_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, '['))) sent += 64 * 1024;
      };
      response.on('drain', more);
      more();
    });
    const answer = await encode('second.wav', [{ format: 'mp3_64', [field]: { url } }]);
    expect(answer.body).toMatchObject({ code: 'source_too_large', details: { field } });
    expect(sent).toBeLessThan(64 * 1024 ** 2);
  });

  test('rejects chapters that redirect to a local file', async () => {
    const url = service.media.on('GET /elsewhere', (_request, response) => {
      response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    });
    const answer = await encode('second.wav', [{ format: 'mp3_64', chapters: { url } }]);
    expect(answer.body).toMatchObject({ success: false, details: { field: 'chapters' } });
    expect(JSON.stringify(answer.body)).not.toContain('root:');
  });

  test('reports that the cover is missing, not the source', async () => {
    const cover = { url: `${service.media.url}/missing.jpg` };
    const secret = { url: cover.url.replace('//', '//user:secret@') };
    expect((await encode('second.wav', [{ format: 'mp3_64', cover: secret }])).status).toBe(403);
    const answer = await encode('second.wav', [{ format: 'mp3_64', cover }]);
    expect(answer.body).toMatchObject({ code: 'source_not_found', details: { field: 'cover' } });
    expect(answer.body.error).toMatch(/^The cover could not be fetched\. The file [^ ]*missing\.jpg does not exist/);
  });

  test('stops fetching a cover that is too large', async () => {
    await writeFile(file('large.jpg'), Buffer.alloc(17 * 1024 ** 2, 0xff));
    const answer = await encode('second.wav', [{ format: 'mp3_64', cover: { url: fileUrlOf('large.jpg') } }]);
    expect(answer.body).toMatchObject({ code: 'source_too_large', details: { field: 'cover' } });
  });
});

test('leaves the chapter files of several outputs as they were', async () => {
  const names = ['one.json', 'two.json', 'three.json'];
  const contentOf = (name: string) => JSON.stringify({ version: '1.2.0', chapters: [{ startTime: 0, title: name }] });
  for (const name of names) await writeFile(file(name), contentOf(name));
  const remote = service.media.serve('/three.json', file('three.json'));
  const urls = [fileUrlOf('one.json'), fileUrlOf('two.json'), remote];
  const answer = await encode(
    'second.wav',
    urls.map((url) => ({ format: 'mp3_64', chapters: { url } })),
  );
  expect(answer.body).toMatchObject({ success: true });
  for (const [index, name] of names.entries()) {
    expect(await readFile(file(name), 'utf8')).toBe(contentOf(name));
    expect(await probeChapters(service.outputFile('second.wav', index))).toEqual([{ start: 0, title: name }]);
  }
});
