import { expect, test } from 'vitest';
import { useService } from './support.ts';

const service = await useService();

function linesOf(requestId: string): string[] {
  return service.container.process.logLines
    .filter((line) => line['requestId'] === requestId)
    .map(({ msg = '' }) => msg.replace(/job \S+\./, 'job.'));
}

test('answers the X-Request-Id of a request, and logs it in all lines of the request and of its job', async () => {
  const id = 'abc 123/~';
  const request = service.encodeOf(service.speech(), 'identified');
  const answer = await service.post('/encode', request, { 'x-request-id': id });
  expect(answer).toMatchObject({ status: 200, headers: { 'x-request-id': id } });
  const { process } = service.container;
  await process.until('line of the request', () => linesOf(id).includes('request completed'));
  expect(linesOf(id)).toEqual(
    expect.arrayContaining([
      '[JOB_START] Started encoding job. Active jobs: 1',
      '[JOB_END] Completed encoding job. Active jobs: 0',
    ]),
  );
});

test.each([undefined, 'x'.repeat(129), 'tab\there'])('makes an id for a request with the id %j', async (given) => {
  const answer = await service.container.call(
    'GET',
    '/jobs',
    undefined,
    given === undefined ? {} : { 'x-request-id': given },
  );
  const made = String(answer.headers['x-request-id']);
  expect(made).toMatch(/^[0-9a-f-]{36}$/);
  await service.container.process.until('line of the request', () => linesOf(made).includes('request completed'));
});

test('identifies refused requests, too', async () => {
  const running = await service.container.submit('/encode', service.encodeOf(service.never, 'runs'));
  const busy = await service.post('/encode', service.encodeOf(service.never, 'waits'), { 'x-request-id': 'refused' });
  expect(busy).toMatchObject({ status: 429, headers: { 'x-request-id': 'refused' } });
  const { process } = service.container;
  const rejected = '[RATE_LIMIT] Rejecting encode request - 1 jobs already active';
  await process.until('line of the refusal', () => linesOf('refused').includes(rejected));
  await service.container.call('DELETE', `/jobs/${running}`);
  expect((await service.container.call('GET', '/nothing')).headers['x-request-id']).toBeDefined();
});
