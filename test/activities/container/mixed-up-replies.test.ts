import { expect, test } from 'vitest';
import {
  accepted,
  answer,
  encodedOutput,
  encodeResult,
  failedView,
  jobView,
  metadataResult,
  source,
  succeededView,
} from '../../fixtures/scripted-container.ts';
import { failureOf, TestAttempt } from '../../support/attempt.ts';
import { jobScript, running, useScriptedContainers } from './scripted-jobs.ts';

// A proxy that mixes up connections, or a faulty container, answers a request with the reply to another one.

const startScripted = useScriptedContainers();
const ofAnother = { ...succeededView, jobId: 'job-9', result: { ...encodeResult, jobId: 'job-9' } };
const wanted = { output: 0, name: '', size: 1000, contentType: 'audio/mpeg', md5: '1B2M2Y8AsgTpgAmY7PhCfg==' };
const wanting = (file: typeof wanted) => jobView(9, { phase: 'deliver', wanted: [file] });
const input = { sourceUrl: 'file:///in.wav', outputs: [{ format: 'mp3_128', uploadUrl: 's3://media/out.mp3' }] };

test.each([
  ['is running', jobView(1, { jobId: 'job-9' })],
  ['has succeeded', ofAnother],
  ['has succeeded, in the view of the requested job', { ...succeededView, result: ofAnother.result }],
])('refuses the state of another job, which %s', async (_, view) => {
  const container = await startScripted(jobScript({ get: [answer(200, view)] }));
  expect(await failureOf(new TestAttempt(container.url).encode())).toMatchObject({
    type: 'UnexpectedReply',
    message: 'The container answered a request about job job-1 with another job',
  });
});

test('ignores events of another job', async () => {
  const events = [{ kind: 'events' as const, items: [ofAnother] }];
  const container = await startScripted(jobScript({ get: [running, answer(200, succeededView)], events }));
  expect(await new TestAttempt(container.url).encode()).toEqual({ outputs: [encodedOutput], source });
  expect(container.requestsTo('GET', '/jobs/job-1')).toHaveLength(2);
});

test.each([
  ['an output that was not requested', { ...wanted, output: 1 }, 'URLs of an output that was not requested'],
  ['a file outside of the output’s folder', { ...wanted, name: '../other.mp3' }, 'a file outside of its folder'],
  ['a file at an absolute path', { ...wanted, name: '/etc/other.mp3' }, 'a file outside of its folder'],
  ['a file behind a query', { ...wanted, name: 'a?b' }, 'a file outside of its folder'],
])('signs no URL for %s', async (_, file, message) => {
  const container = await startScripted(
    jobScript({ get: [answer(200, wanting(file)), answer(200, failedView('cancelled'))] }),
  );
  const failure = await failureOf(new TestAttempt(container.url).encode(input));
  expect(failure).toMatchObject({ type: 'UnexpectedReply', message: expect.stringContaining(message) });
  expect(container.requestsTo('POST', '/jobs/job-1/upload-urls')).toEqual([]);
  expect(container.requests.some(({ method }) => method === 'DELETE')).toBe(true);
});

test('refuses the receipt of URLs by another job', async () => {
  const receipt = answer(202, { success: true, jobId: 'job-9', state: 'running' });
  const container = await startScripted(({ method, path }) => {
    if (method === 'DELETE') return answer(200, jobView(1));
    if (path === '/encode') return accepted;
    if (path.endsWith('/upload-urls')) return receipt;
    const isEnded = container.requests.some((request) => request.method === 'DELETE');
    return answer(200, isEnded ? succeededView : wanting(wanted));
  });
  expect(await failureOf(new TestAttempt(container.url).encode(input))).toMatchObject({ type: 'UnexpectedReply' });
});

test('refuses the result of an encode as that of an inspection', async () => {
  const container = await startScripted(({ path }) =>
    path === '/metadata'
      ? answer(202, { success: true, jobId: 'job-1', state: 'running' })
      : answer(200, path.endsWith('/events') ? metadataResult : succeededView),
  );
  const failure = await failureOf(new TestAttempt(container.url).chunk({ uploadUrlPrefix: 'file:///out/' }));
  expect(failure).toMatchObject({ type: 'UnexpectedReply' });
});
