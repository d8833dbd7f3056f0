import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SigningStore } from '../../../stores/store.ts';
import { failureOf, until } from '../../support/attempt.ts';
import { fakeStores } from '../../support/fake-stores.ts';
import { storeServers, trickle, useStore } from './store-support.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';
import { rowsExcept } from '../../support/rows.ts';

describe.each(rowsExcept(['rclone'], storeServers))('delivery to %s', (_name, command) => {
  const at = useStore(command);

  test('a large file arrives by multipart upload and a small one by a single PUT', async () => {
    const { attempt, input, object, number } = at.runOf();
    const small = { format: 'mp3_64', channels: 1, uploadUrl: `s3://media/small-${number}.mp3` };
    const made = attempt();
    const result = await made.encode({ ...input, outputs: [...input.outputs, small] });
    await at.expectStored(object, result.outputs[0]?.sha256);
    const bytes = await readFile(join(at.s3.folder, 'media', `small-${number}.mp3`));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(result.outputs[1]?.sha256);
    // A worker that took over would know the upload.
    expect(made.heartbeats.some(({ state }) => state.uploads?.length === 1)).toBe(true);
  });

  test('a cancelled run leaves no orphaned parts', async () => {
    const { attempt, input } = at.runOf();
    const heal = await at.line.poison('upstream', trickle);
    const made = attempt();
    const ended = made.encode(input).catch(() => 'cancelled');
    await at.untilDelivering();
    made.environment.cancel('CANCELLED');
    expect(await ended).toBe('cancelled');
    await heal();
    await expect.poll(at.openUploads).toEqual([]);
    expect((await at.container.health()).activeJobs).toBe(0);
    const left = await readdir(join(at.s3.folder, 'media'), { recursive: true, withFileTypes: true });
    const files = left.filter((entry) => entry.isFile()).map(({ name }) => name);
    expect(files.filter((name) => !/^(?:out|small)-\d+\.(?:wav|mp3)$/.test(name))).toEqual([]);
  });

  test.each(
    rowsExcept(
      ['by a single PUT'],
      [
        ['by multipart upload', 'wav'],
        ['by a single PUT', 'mp3_64'],
      ],
    ),
  )('a run that cannot store one output removes the other one, stored %s', async (_, format) => {
    const { attempt, input, number } = at.runOf();
    const key = `removed-${number}`;
    const isStored = async () => (await readdir(join(at.s3.folder, 'media'))).includes(key);
    let tries = 0;
    const refuse = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      request.resume();
      await expect.poll(isStored).toBe(true);
      tries += 1;
      // The container retries after a pause, by which time it has the store's answer too.
      response.writeHead(tries <= 2 ? 503 : 403).end();
    };
    const refusing = await LoopbackServer.start((request, response) => void refuse(request, response));
    const outputs = [
      { format, uploadUrl: `s3://media/${key}` },
      { format: 'mp3_64', uploadUrl: `${refusing.url}/x.mp3` },
    ];
    expect(await failureOf(attempt().encode({ ...input, outputs }))).toMatchObject({ type: 'UploadRefused' });
    expect(await isStored()).toBe(false);
    await refusing.stop();
  });

  test('a worker that dies before reporting an upload that it created leaves no orphan', async () => {
    const { attempt, input, object } = at.runOf();
    let isCreated = false;
    const beginUpload: SigningStore['beginUpload'] = async (...args) => {
      await at.store.beginUpload(...args);
      isCreated = true;
      // The dead neither send heartbeats nor answer.
      return await new Promise<never>(() => {});
    };
    const lost = attempt({ stores: fakeStores({ ...at.store, beginUpload }) });
    void lost.encode(input).catch(() => {});
    await until('the upload is created', () => isCreated);
    const heartbeatDetails = lost.heartbeats.at(-1);
    if (heartbeatDetails === undefined) throw new Error('no heartbeat');
    expect(heartbeatDetails.state.uploads).toBeUndefined();
    expect(await at.openUploads()).toHaveLength(1);

    const result = await attempt({ heartbeatDetails, activityAttempt: 2 }).encode(input);
    await at.expectStored(object, result.outputs[0]?.sha256);
  });

  test('the next worker reuses the upload of a worker that died before sending its URLs', async () => {
    const { attempt, input, object } = at.runOf();
    let created = 0;
    const counting = (sign: SigningStore['sign']) =>
      fakeStores({
        ...at.store,
        sign,
        async beginUpload(...args) {
          created += 1;
          return await at.store.beginUpload(...args);
        },
      });
    let isSigning = false;
    const lost = attempt({
      stores: counting(async (url, request) => {
        if (request.kind !== 'part') return await at.store.sign(url, request);
        isSigning = true;
        return await new Promise<never>((_resolve, reject) =>
          lost.environment.context.cancellationSignal.addEventListener('abort', () => reject(new Error())),
        );
      }),
    });
    const ended = lost.encode(input).catch(() => 'lost');
    await until('the upload is signed', () => isSigning);
    const heartbeatDetails = lost.heartbeats.at(-1);
    if (heartbeatDetails === undefined) throw new Error('no heartbeat');
    lost.environment.cancel('WORKER_SHUTDOWN');
    expect(await ended).toBe('lost');
    const next = attempt({ heartbeatDetails, activityAttempt: 2, stores: counting(at.store.sign) });
    const result = await next.encode(input);
    expect(created).toBe(1);
    await at.expectStored(object, result.outputs[0]?.sha256);
  });

  test('an upload that outlasts its signatures continues with new ones in the same job', async () => {
    const { attempt, input, object } = at.runOf();
    const expired = { from: new Date(Date.now() - 3_600_000), expiresSeconds: 60 };
    let [begun, completions] = [0, 0];
    const stores = fakeStores({
      ...at.store,
      async sign(url, request) {
        if (request.kind === 'complete') completions += 1;
        const isExpired = request.kind === 'complete' && completions === 1;
        return await at.store.sign(url, request, isExpired ? expired : undefined);
      },
      async beginUpload(...args) {
        begun += 1;
        return await at.store.beginUpload(...args);
      },
    });
    const result = await attempt({ stores }).encode(input);
    expect([begun, completions]).toEqual([1, 2]);
    await at.expectStored(object, result.outputs[0]?.sha256);
  });

  test('a missing bucket fails the run at once and frees the container', async () => {
    const { attempt, input } = at.runOf();
    const outputs = [{ format: 'wav', uploadUrl: 's3://nobodys-bucket/x.wav' }];
    expect(await failureOf(attempt().encode({ ...input, outputs }))).toMatchObject({ type: 'UploadRefused' });
    expect((await at.container.health()).activeJobs).toBe(0);
  });
});
