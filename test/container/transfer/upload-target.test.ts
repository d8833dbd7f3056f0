import { expect, test } from 'vitest';
import { speechWav } from '../../support/media.ts';
import { useService } from '../http/support.ts';

const service = useService();

test('an upload is never redirected', async () => {
  const url = service.media.on('PUT /moved', (request, response) => {
    request.resume();
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  expect(
    await service.post('/encode', {
      ...service.encodeOf(service.speech(), ''),
      outputs: [{ format: 'mp3_64', uploadUrl: url }],
    }),
  ).toMatchObject({
    status: 422,
    body: { code: 'upload_refused', details: { status: 307 } },
  });
  expect(service.media.count('PUT /elsewhere')).toBe(0);
});

test.each([
  ['http://user:secret@127.0.0.1:1/x', 403, 'upload_forbidden'],
  ['http://10.0.0.1/x', 403, 'upload_forbidden'],
  ['http://[fd00::1]/x', 403, 'upload_forbidden'],
  ['file:///tmp/evil', 403, 'upload_forbidden'],
  ['file:///', 403, 'upload_forbidden'],
])('an upload to %s is %i %s', async (uploadUrl, status, code) => {
  const source = service.media.serve('/not-read.wav', speechWav);
  const sibling = { format: 'mp3_64', uploadUrl: `${service.media.url}/sibling` };
  const outputs = [sibling, { format: 'mp3_64', uploadUrl }];
  const answer = await service.post('/encode', { sourceUrl: source, outputs });
  expect(answer).toMatchObject({ status, body: { code } });
  // Nothing is worth the trouble when one of them has no place to go.
  expect(service.media.count('GET /not-read.wav') + service.media.count('PUT /sibling')).toBe(0);
  expect(JSON.stringify(answer.body)).not.toContain('secret');
});
