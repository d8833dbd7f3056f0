import { expect, test } from 'vitest';
import { HoldfastClient } from '../../api-client/client.ts';
import { LoopbackServer } from '../support/loopback-server.ts';

/** A server whose bucket answers each part with the next status. `completions`: statuses of the first completions. */
async function serverOf(statuses: number[], completions: number[] = []) {
  const put: number[] = [];
  const server = await LoopbackServer.start((request, response) => {
    request.resume().once('end', () => {
      if (request.method === 'PUT') {
        put.push(statuses.shift() ?? 200);
        response.writeHead(put.at(-1) ?? 200).end();
        return;
      }
      const upload = { id: 'one', source: 's3://media/talk.wav', bytes: 4, parts: 1, partBytes: 8, uploaded: [] };
      const urls = [{ part: 1, url: `http://${request.headers.host}/part` }];
      response.setHeader('Content-Type', 'application/json');
      if (request.url?.endsWith('/complete') === true) response.statusCode = completions.shift() ?? 200;
      response.end(JSON.stringify(request.url?.endsWith('/parts') === true ? { urls } : upload));
    });
  });
  return {
    put,
    client: new HoldfastClient({ url: server.url }),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

// 400: AWS answers RequestTimeout to a slow upload. 403: the URL has expired.
test.each([400, 403, 408, 429, 500, 503])('sends a part again after the store answers %d', async (status) => {
  await using server = await serverOf([status]);
  expect(await server.client.upload(new Blob(['wave']), { to: 's3' })).toBe('s3://media/talk.wav');
  expect(server.put).toEqual([status, 200]);
});

test('does not retry a part whose upload the store does not know', async () => {
  await using server = await serverOf([404]);
  await expect(server.client.upload(new Blob(['wave']), { to: 's3' })).rejects.toMatchObject({ status: 404 });
  expect(server.put).toEqual([404]);
});

test('asks again for a completion that another server may be making', async () => {
  await using server = await serverOf([], [502, 404]);
  expect(await server.client.upload(new Blob(['wave']), { to: 's3' })).toBe('s3://media/talk.wav');
  expect(server.put).toEqual([200]);
});

test('does not ask again for the completion of an upload that the server does not know', async () => {
  const completions = [404, 200];
  await using server = await serverOf([], completions);
  await expect(server.client.upload(new Blob(['wave']), { to: 's3' })).rejects.toMatchObject({ status: 404 });
  expect(completions).toEqual([200]);
});
