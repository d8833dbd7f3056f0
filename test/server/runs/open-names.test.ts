import { defaultDataConverter, defaultPayloadConverter } from '@temporalio/common';
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { readOpenNames } from '../../../server/runs/open-names.ts';

const id = (digit: number): string => `${digit}0000000-0000-4000-8000-00000000000a`;
const result = (digit: number, name: string): string => `file:///media/holdfast/results/${id(digit)}/${name}`;

const upload = '-Abcdefghij_klmnopqr-1';

const inputs: Record<string, object> = {
  'an encode': { sourceUrl: 'https://a.test/a.wav', outputs: [1, 2].map((of) => ({ uploadUrl: result(of, 'a.mp3') })) },
  'a continued run': { sourceUrl: 'https://a.test/a.wav', uploadUrlPrefix: result(3, 'chunks/') },
  'a run with its own places': { sourceUrl: 'https://a.test/a.wav', outputs: [{ uploadUrl: 's3://media/a.mp3' }] },
  'an uploaded source': { sourceUrl: `file:///media/holdfast/uploads/${upload}-a%20b.wav` },
};

/** The server has no key for its input. */
const encrypted = { metadata: { encoding: new TextEncoder().encode('binary/encrypted') }, data: new Uint8Array() };

/** `memo`: of the encrypted run. */
function clientOf(memo: object): Client {
  let lists = 0;
  const shown = (): string[] => [
    ...Object.keys(inputs).filter((name) => lists > 1 || name !== 'a continued run'),
    'an encrypted run',
  ];
  return {
    options: {
      namespace: 'default',
      loadedDataConverter: { ...defaultDataConverter, payloadConverter: defaultPayloadConverter, payloadCodecs: [] },
    },
    withDeadline: (_: number, request: () => Promise<unknown>) => request(),
    workflowService: {
      listWorkflowExecutions: async ({ query, nextPageToken }: { query: string; nextPageToken?: Uint8Array }) => {
        expect(query).toContain(`ExecutionStatus = 'Running'`);
        lists += nextPageToken === undefined ? 1 : 0;
        const names = shown();
        return {
          executions: (nextPageToken === undefined ? names.slice(0, 1) : names.slice(1)).map((name) => ({
            execution: { workflowId: name, runId: `run of ${name}` },
            type: { name: 'encode' },
            memo: { fields: name === 'an encrypted run' ? memo : {} },
          })),
          nextPageToken: new Uint8Array(nextPageToken === undefined ? [1] : []),
        };
      },
      getWorkflowExecutionHistory: async ({ execution }: { execution: { workflowId: string; runId: string } }) => {
        expect(execution.runId).toBe(`run of ${execution.workflowId}`);
        const input = inputs[execution.workflowId];
        const payload = input === undefined ? encrypted : defaultPayloadConverter.toPayload(input);
        return {
          history: { events: [{ workflowExecutionStartedEventAttributes: { input: { payloads: [payload] } } }] },
        };
      },
    },
  } as unknown as Client;
}

test('names the folders of results and the uploads in the inputs of all open runs, on all pages', async () => {
  expect(await readOpenNames(clientOf({}), 'q')).toEqual(new Set([id(1), id(2), id(3), upload]));
});

test('an open run of a server whose input cannot be read stops the search', async () => {
  await expect(readOpenNames(clientOf({ startedBy: encrypted }), 'q')).rejects.toThrow('The run is encrypted.');
});
