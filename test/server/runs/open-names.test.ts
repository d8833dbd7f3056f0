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

test('names the folders of results and the uploads in the inputs of all open runs, on all pages', async () => {
  const client = {
    options: {
      namespace: 'default',
      loadedDataConverter: { ...defaultDataConverter, payloadConverter: defaultPayloadConverter, payloadCodecs: [] },
    },
    withDeadline: (_: number, request: () => Promise<unknown>) => request(),
    workflowService: {
      listWorkflowExecutions: async ({ query, nextPageToken }: { query: string; nextPageToken?: Uint8Array }) => {
        expect(query).toContain(`ExecutionStatus = 'Running'`);
        const names = [...Object.keys(inputs), 'an encrypted run'];
        return {
          executions: (nextPageToken === undefined ? names.slice(0, 1) : names.slice(1)).map((name) => ({
            execution: { workflowId: name, runId: `run of ${name}` },
            type: { name: 'encode' },
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
  expect(await readOpenNames(client, 'q')).toEqual(new Set([id(1), id(2), id(3), upload]));
});
