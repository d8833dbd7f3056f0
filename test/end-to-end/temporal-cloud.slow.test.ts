import { WorkflowFailedError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { run, startNode, testEnvironment, type Environment } from '../support/process.ts';
import { TestServer } from '../support/server.ts';
import { TestStack } from '../support/stack.ts';
import { startTemporal } from '../support/temporal.ts';
import { TlsFrontend, type FrontendCall } from '../support/tls-frontend.ts';
import { certificateOf } from '../support/tls-server.ts';
import { stopAfterAll, stopAfterTest } from '../support/stop-after-all.ts';

// All parts of Holdfast connect by TLS to a frontend like Temporal Cloud's and present their credentials.

const client = certificateOf('holdfast.test');
const apiKey = 'an-api-key';

let frontend: TlsFrontend;

const temporal = await stopAfterAll(startTemporal());
const path = (call: FrontendCall) => call.path.split('/').at(-1);

test.each<[string, Environment, Omit<FrontendCall, 'path'>]>([
  [
    'a client certificate',
    { TEMPORAL_TLS_CLIENT_CERT_DATA: client.cert, TEMPORAL_TLS_CLIENT_KEY_DATA: client.key },
    { hasCertificate: true, authorization: undefined },
  ],
  ['an API key', { TEMPORAL_API_KEY: apiKey }, { hasCertificate: false, authorization: `Bearer ${apiKey}` }],
])('worker, server and command line authenticate with %s', async (_, settings, shown) => {
  frontend = await stopAfterTest(TlsFrontend.start(temporal.address, client.cert));
  const environment = {
    TEMPORAL_ADDRESS: frontend.address,
    TEMPORAL_TLS_SERVER_CA_CERT_DATA: frontend.certificate,
    ...settings,
  };
  // The test's own client connects to the server directly, without the frontend.
  const stack = await TestStack.start({
    temporal,
    containers: 0,
    workerEnvironment: { ...environment, WORKER_ROLES: 'workflows' },
  });
  const handle = await stack.run('encode', { outputs: [] });
  await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
  const ofWorker = frontend.calls.splice(0);
  expect(ofWorker.map(path)).toEqual(
    expect.arrayContaining(['PollWorkflowTaskQueue', 'RespondWorkflowTaskCompleted', 'RespondActivityTaskFailed']),
  );

  const server = await TestServer.start(environment);
  const isListed = async () => {
    const { body } = await server.get('/api/runs');
    return (body.runs as { id: string }[]).some(({ id }) => id === handle.workflowId);
  };
  await server.process.until('the run in the list', isListed);
  await server.stop();
  await stack.stop();
  const ofServer = frontend.calls.splice(0);

  const command = ['cli/main.ts', 'runs', '--json'];
  const { code, output } = await run(process.execPath, command, { environment: testEnvironment(environment) });
  expect(code, output).toBe(0);
  expect(output).toContain(handle.workflowId);
  const ofCommand = frontend.calls.splice(0);
  for (const calls of [ofWorker, ofServer, ofCommand]) {
    expect(calls.map(path)).not.toEqual([]);
    for (const call of calls) expect(call).toMatchObject(shown);
  }
});

test.each<[string, (trusted: string) => Environment, RegExp]>([
  [
    'another authority',
    () => ({ TEMPORAL_API_KEY: apiKey, TEMPORAL_TLS_SERVER_CA_CERT_DATA: client.cert }),
    /"msg":"Worker stopped: Temporal at localhost:\d+ \(namespace default\) has a certificate that is not trusted/,
  ],
  [
    'a certificate and the key of another',
    (trusted) => ({
      TEMPORAL_TLS_SERVER_CA_CERT_DATA: trusted,
      TEMPORAL_TLS_CLIENT_CERT_DATA: client.cert,
      TEMPORAL_TLS_CLIENT_KEY_DATA: certificateOf('other.test').key,
    }),
    /client’s certificate and key \(TEMPORAL_TLS_CLIENT_…\) do not match/,
  ],
  ['no TLS', () => ({}), /ended the connection: it may require TLS/],
])('a worker with %s explains the error', async (_, settings, sentence) => {
  frontend = await stopAfterTest(TlsFrontend.start(temporal.address, client.cert));
  const worker = startNode('worker/main.ts', {
    TEMPORAL_ADDRESS: frontend.address,
    WORKER_ROLES: 'container',
    ...settings(frontend.certificate),
  });
  expect(await worker.exited).toEqual({ code: 1, signal: null });
  expect(worker.output).toMatch(sentence);
  expect(worker.output).not.toContain(apiKey);
  expect(frontend.calls).toEqual([]);
});

test('a command without TLS explains the error', async () => {
  frontend = await stopAfterTest(TlsFrontend.start(temporal.address, client.cert));
  const environment = testEnvironment({ TEMPORAL_ADDRESS: frontend.address });
  const { code, output } = await run(process.execPath, ['cli/main.ts', 'runs'], { environment });
  expect(code).toBe(1);
  expect(output).toMatch(/TEMPORAL_ADDRESS localhost:\d+ is not a Temporal server, or needs TLS \(TEMPORAL_TLS\)/);
});
