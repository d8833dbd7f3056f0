import { randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useEncodes } from '../../../support/encodes.ts';
import { madeSound } from '../../../support/part-results.ts';

const service = await useEncodes();
const { file } = service;
/** Unlike `fileUrl`, this keeps the spelling of the path. */
const url = (name: string): string => `file://${service.container.mediaRoot}/${name}`;

const wav = { format: 'wav' };
const beside = { ...wav, uploadUrl: 'file:///nowhere/refused.wav' };

/** `folder` and `alias` are one folder; `talk.wav` has a symbolic and a hard link. */
await mkdir(file('folder'));
await symlink('folder', file('alias'));
await copyFile(file('second.wav'), file('folder/talk.wav'));
await symlink('talk.wav', file('folder/link.wav'));
await symlink('link.wav', file('folder/far.wav'));
await link(file('folder/talk.wav'), file('folder/twin.wav'));
await writeFile(file('folder/key'), Buffer.alloc(16, 7));
await writeFile(file('folder/words.srt'), '1\n00:00:00,000 --> 00:00:01,000\nHello\n');

async function expectRefused(path: '/encode' | '/chunk', body: object, words: string): Promise<void> {
  const [before, requests] = [await stat(file('folder/talk.wav'), { bigint: true }), service.media.requests.length];
  expect(await service.container.call('POST', path, body)).toMatchObject({
    status: 400,
    body: { success: false, code: 'invalid_request', error: expect.stringContaining(words) },
  });
  const after = await stat(file('folder/talk.wav'), { bigint: true });
  expect([after.ino, after.mtimeNs, after.size]).toEqual([before.ino, before.mtimeNs, before.size]);
  expect(service.media.requests.length).toBe(requests);
}

describe('outputs in the place of the source', () => {
  test.each([
    ['the same URL', 'folder/talk.wav', 'folder/talk.wav'],
    ['another spelling', 'folder/talk.wav', 'x/../folder//%74alk.wav'],
    ['a linked folder', 'folder/talk.wav', 'alias/talk.wav'],
    ['a source in a linked folder', 'alias/talk.wav', 'folder/talk.wav'],
    ['a link to the source', 'folder/talk.wav', 'folder/link.wav'],
    ['the file behind a source that is a link', 'folder/link.wav', 'folder/talk.wav'],
    ['a link between the source and its file', 'folder/far.wav', 'folder/link.wav'],
    ['a hard link of the source', 'folder/talk.wav', 'folder/twin.wav'],
    ['a source and a target with control characters', 'folder/talk.wav', 'alias/talk.wav', '\u0001fi\nle:'],
    ['a source that is missing', 'folder/missing.wav', 'alias/missing.wav'],
  ])('refuses %s, whatever becomes of another output', async (_what, source, target, scheme = 'file:') => {
    const [sourceUrl, uploadUrl] = [url(source), url(target)].map((plain) => plain.replace(/^file:/, scheme));
    const outputs = [{ ...wav, uploadUrl }, beside];
    await expectRefused('/encode', { sourceUrl, outputs }, 'the file that sourceUrl names');
    const chunks = [{ index: 0, uploadUrl }];
    await expectRefused('/chunk', { sourceUrl, chunks }, 'the file that sourceUrl names');
    const list = { uploadUrl };
    const others = [{ index: 0, uploadUrl: url(`${randomUUID()}.wav`) }];
    await expectRefused('/chunk', { sourceUrl, chunks: others, list }, 'list.uploadUrl: would replace');
  });

  test.each([
    ['', ''],
    ['?X-Amz-Signature=1&x-id=GetObject', '?X-Amz-Signature=2&x-id=PutObject'],
    ['', '?X-Amz-Signature=2'],
    ['?AWSAccessKeyId=k&Signature=s&Expires=1', '?AWSAccessKeyId=k&Signature=t&Expires=1'],
  ])('refuses the object of a source with the query "%s" for one with "%s"', async (get, put) => {
    const object = service.media.serve('/own.wav', file('second.wav'));
    const outputs = [{ ...wav, uploadUrl: object + put }];
    await expectRefused('/encode', { sourceUrl: object + get, outputs }, 'outputs.0.uploadUrl: would replace');
    const chunks = [{ index: 0, uploadUrl: object + put }];
    await expectRefused('/chunk', { sourceUrl: object + get, chunks }, 'chunks.0.uploadUrl: would replace');
  });

  test('refuses the object to which a source redirects, and stores nothing', async () => {
    const object = service.media.serve('/redirected.wav', file('second.wav'));
    const sourceUrl = service.media.on('GET /redirecting', (_request, response) => {
      response.writeHead(302, { location: `${object}?X-Amz-Signature=1` }).end();
    });
    const outputs = [{ ...wav, uploadUrl: `${object}?X-Amz-Signature=2` }];
    expect(await service.container.call('POST', '/encode', { sourceUrl, outputs })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', error: expect.stringContaining('outputs.0.uploadUrl: would replace') },
    });
    expect(service.media.count('PUT /redirected.wav')).toBe(0);
  });

  test('refuses the object to which a linked file redirects, and stores nothing', async () => {
    const object = service.media.serve('/cover.mp3', file('sibling.mp3'));
    const linked = service.media.on('GET /linking', (_request, response) => {
      response.writeHead(302, { location: `${object}?X-Amz-Signature=1` }).end();
    });
    const outputs = [
      { format: 'mp3_64', cover: { url: linked }, uploadUrl: url('covered.mp3') },
      { ...wav, uploadUrl: `${object}?X-Amz-Signature=2` },
    ];
    const answer = await service.container.call('POST', '/encode', { sourceUrl: url('second.wav'), outputs });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_request',
        error: expect.stringContaining('outputs.1.uploadUrl: would replace the file that outputs.0.cover names'),
      },
    });
    expect(service.media.count('PUT /cover.mp3')).toBe(0);
  });

  test.each(['segments', 'sounds'])('refuses the place of the %s that an encode joins', async (field) => {
    const linkTo = (isOwn: boolean) => ({ url: url(isOwn ? 'folder/talk.wav' : 'second.wav'), sha256: '0'.repeat(64) });
    const segment = linkTo(field === 'segments');
    const sounds = [{ ...linkTo(field === 'sounds'), made: madeSound }];
    const part = { kind: 'join', source: {}, segments: [[segment], [segment]], sounds };
    const outputs = [{ ...wav, uploadUrl: url('folder/talk.wav') }];
    const request = { sourceUrl: url('second.wav'), outputs, part };
    await expectRefused('/encode', request, `the file that part.${field} names`);
  });

  test('accepts other files beside the source, and other objects of one path', async () => {
    const path = service.media.serve('/by-query', file('second.wav'));
    const outputs = [
      { ...wav, uploadUrl: `${path}?file=2` },
      { ...wav, uploadUrl: url('folder/new.wav') },
    ];
    const answer = await service.container.call('POST', '/encode', { sourceUrl: `${path}?file=1`, outputs });
    expect(answer.status).toBe(200);
  });
});

test.each<[string, string, object]>([
  ['cover', 'sibling.mp3', { format: 'mp3_128', cover: 'link' }],
  ['chapters', 'sibling.mp3', { format: 'mp3_128', chapters: 'link' }],
  ['watermark', 'folder/talk.wav', { preset: 'web-h264-480', watermark: 'link' }],
  ['subtitles.add.0', 'folder/words.srt', { preset: 'web-h264-480', subtitles: { add: ['link'] } }],
  ['subtitles.burn', 'folder/words.srt', { preset: 'web-h264-480', subtitles: { burn: 'link' } }],
  [
    'encryption.keyUrl',
    'folder/key',
    { package: ['hls'], encryption: { scheme: 'aes-128', keyUri: 'https://k.test/k' }, deliver: 'on_demand' },
  ],
])('refuses an output in the place of a linked file: %s', async (field, linked, output) => {
  const withLink = JSON.parse(JSON.stringify(output).replaceAll('"link"', JSON.stringify({ url: url(linked) })));
  if ('encryption' in withLink) withLink.encryption.keyUrl = url(linked);
  const linking = { uploadUrl: url('made'), ...withLink };
  if ('deliver' in linking) delete linking.uploadUrl;
  const outputs = [linking, { ...wav, uploadUrl: url(linked) }];
  await expectRefused('/encode', { sourceUrl: url('second.wav'), outputs }, `the file that outputs.0.${field} names`);
});

test('refuses chunks in the place of the file that the source was encoded from', async () => {
  const chunks = [{ index: 0, uploadUrl: url('alias/talk.wav') }];
  for (const originalUrl of [url('folder/talk.wav'), url('folder/twin.wav')]) {
    const body = { sourceUrl: url('second.wav'), originalUrl, chunks };
    await expectRefused('/chunk', body, 'the file that originalUrl names');
  }
});

test('refuses two outputs that links lead to one place, whether or not it exists', async () => {
  for (const name of ['talk.mp3', 'deep/new.mp3']) {
    const outputs = ['folder', 'alias'].map((folder) => ({ format: 'mp3_64', uploadUrl: url(`${folder}/${name}`) }));
    await expectRefused('/encode', { sourceUrl: url('second.wav'), outputs }, 'names the place of another target');
    const chunks = outputs.map(({ uploadUrl }, index) => ({ index, uploadUrl }));
    await expectRefused('/chunk', { sourceUrl: url('second.wav'), chunks }, 'names the place of another target');
  }
});

test('reports nothing about files outside the media root', async () => {
  const outside = join(service.container.scratchDir, 'outside.wav');
  await copyFile(file('second.wav'), outside);
  await symlink(outside, file('to-outside.wav'));
  const answer = await service.container.call('POST', '/encode', {
    sourceUrl: url('to-outside.wav'),
    outputs: [{ ...wav, uploadUrl: `file://${outside}` }],
  });
  expect(answer).toMatchObject({ status: 403, body: { code: 'upload_forbidden' } });
  expect((await readFile(outside)).length).toBeGreaterThan(0);
  await rm(outside);
});
