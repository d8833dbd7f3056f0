import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nothingAllowed, parseAllowedAddresses } from '../../../network/address-guard.ts';
import { checkUploadHosts } from '../../../container/transfer/upload-target.ts';
import { speechWav } from '../../support/media.ts';
import { useService } from '../http/support.ts';

const service = await useService();

test('never follows a redirect of an upload', async () => {
  const url = service.media.on('PUT /moved', (request, response) => {
    request.resume();
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  expect(
    await service.post('/encode', {
      ...service.encodeOf(service.speech(), ''),
      outputs: [
        { format: 'mp3_64', uploadUrl: service.out('beside.mp3') },
        { format: 'mp3_64', uploadUrl: url },
      ],
    }),
  ).toMatchObject({
    status: 422,
    body: { code: 'upload_refused', details: { status: 307, output: 1 } },
  });
  expect(service.media.count('PUT /elsewhere')).toBe(0);
});

test.each([
  ['http://user:secret@127.0.0.1:1/x', 403, 'upload_forbidden'],
  ['http://10.0.0.1/x', 403, 'upload_forbidden'],
  ['http://[fd00::1]/x', 403, 'upload_forbidden'],
  ['file:///tmp/evil', 403, 'upload_forbidden'],
  ['file:///', 403, 'upload_forbidden'],
  ['ftp://127.0.0.1/x', 403, 'upload_forbidden'],
  ['s3://bucket/key', 403, 'upload_forbidden'],
  ['x.mp3', 400, 'invalid_request'],
])('rejects an upload to %s with %i %s', async (uploadUrl, status, code) => {
  const source = service.media.serve('/not-read.wav', speechWav);
  const sibling = { format: 'mp3_64', uploadUrl: `${service.media.url}/sibling` };
  const outputs = [sibling, { format: 'mp3_64', uploadUrl }];
  const answer = await service.post('/encode', { sourceUrl: source, outputs });
  expect(answer).toMatchObject({ status, body: { code } });
  // One impossible upload rejects the whole job.
  expect(service.media.count('GET /not-read.wav') + service.media.count('PUT /sibling')).toBe(0);
  expect(JSON.stringify(answer.body)).not.toContain('secret');
});

test.each([
  ['a folder', 'a-folder', 'EISDIR'],
  ['a place under a file', 'a-file/deep/er', 'ENOTDIR'],
  ['a name that is too long', 'n'.repeat(256), 'ENAMETOOLONG'],
])('rejects an upload to %s before it reads or encodes anything', async (_what, name, errno) => {
  await mkdir(join(service.container.mediaRoot, 'a-folder'), { recursive: true });
  await writeFile(join(service.container.mediaRoot, 'a-file'), '');
  const source = service.media.serve('/unread.wav', speechWav);
  const outputs = [{ format: 'mp3_64', uploadUrl: service.container.fileUrl(name) }];
  const chunks = [{ index: 0, uploadUrl: service.container.fileUrl(name) }];
  for (const [path, targets] of [
    ['/encode', { outputs }],
    ['/chunk', { chunks }],
  ] as const) {
    const answer = await service.post(path, { sourceUrl: source, ...targets });
    expect(answer).toMatchObject({ status: 422, body: { code: 'upload_refused', details: { errno } } });
    expect(JSON.stringify(answer.body)).not.toContain(service.container.mediaRoot);
  }
  expect(service.media.count('GET /unread.wav')).toBe(0);
});

const { signal } = new AbortController();

test('rejects a host name with an internal address before the upload, and leaves an unknown one to the upload', async () => {
  await expect(checkUploadHosts(['nothing.invalid', 'localhost'], nothingAllowed, signal)).rejects.toMatchObject({
    code: 'upload_forbidden',
    message: "The upload's host localhost is an internal address, which is not allowed.",
  });
  await checkUploadHosts(['nothing.invalid'], nothingAllowed, signal);
  const parsed = parseAllowedAddresses('localhost');
  await checkUploadHosts(['localhost'], parsed.kind === 'allowed' ? parsed.allowed : nothingAllowed, signal);
});

test('does not wait for DNS when a job ends', async () => {
  const job = new AbortController();
  const checked = checkUploadHosts(['nothing.invalid', 'localhost'], nothingAllowed, job.signal);
  const reason = new Error('the job has been cancelled');
  job.abort(reason);
  await expect(checked).rejects.toBe(reason);
});
