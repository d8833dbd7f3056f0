import { expect, test } from 'vitest';
import { HoldfastClient } from '../../api-client/client.ts';
import { LoopbackServer } from '../support/loopback-server.ts';
import { stopAfterTest } from '../support/stop-after-all.ts';

test.each([
  [0, ['POST', 'PATCH', 'HEAD', 'DELETE']],
  // Another tab of the browser has sent the rest.
  [4, ['POST', 'PATCH', 'HEAD']],
])('removes an upload of which the server has %i of 4 bytes only if it is unfinished', async (offset, expected) => {
  const seen: (string | undefined)[] = [];
  const server = await stopAfterTest(
    LoopbackServer.start((request, response) => {
      seen.push(request.method);
      if (request.method === 'PATCH') return;
      response.setHeader('Tus-Resumable', '1.0.0');
      if (request.method === 'POST') response.writeHead(201, { Location: '/api/uploads/AA-talk.wav' });
      if (request.method === 'HEAD') response.writeHead(200, { 'Upload-Offset': offset, 'Upload-Length': 4 });
      if (request.method === 'DELETE') response.writeHead(204);
      response.end();
    }),
  );
  const upload = await new HoldfastClient({ url: server.url }).createUpload(new Blob(['wave']));
  const sending = upload.send();
  await expect.poll(() => seen).toContain('PATCH');
  await Promise.all([expect(sending).rejects.toThrow('paused'), upload.pause()]);
  expect(upload.id).toBe('AA-talk.wav');
  await upload.remove();
  expect(seen).toEqual(expected);
});
