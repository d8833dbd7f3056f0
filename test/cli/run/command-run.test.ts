import { expect, test } from 'vitest';
import type { DeliveryPlan } from '../../../cli/media/run-delivery.ts';
import { CommandRun, type CommandRunParts } from '../../../cli/run/command-run.ts';
import { encodeCommand } from '../../../cli/run/encode-workflow.ts';
import { sharesFiles } from '../../../cli/run/media-check.ts';
import type { RunTask } from '../../../cli/run/workflow-command.ts';
import { testFolder } from '../../support/folder.ts';

test('Ctrl-C while the source of a preview is measured ends the command with the exit code of the signal', async () => {
  const folder = testFolder();
  const url = 'https://example.org/talk.wav';
  const run = new CommandRun({
    command: encodeCommand,
    task: {
      source: { kind: 'url', url, name: 'talk' },
      isPreview: true,
      delivery: { destination: { kind: 'folder', path: folder }, names: [], overwrite: false, inputs: [] },
    },
    settings: { userFolder: folder },
    client: { workflow: { start: async () => Promise.reject(new Error('aborted')) } },
    stack: { facts: { mediaRoot: folder } },
    interrupts: { first: AbortSignal.abort(), exitCode: 130 },
  } as unknown as CommandRunParts<'encode'>);
  await expect(run.execute()).rejects.toMatchObject({ message: expect.stringContaining('Cancelled'), exitCode: 130 });
});

const remote = { kind: 'url', url: 'https://example.org/talk.wav', name: 'talk' } as const;
const store = { kind: 'store', prefix: 's3://bucket/' } as const;
test.each<[boolean, Pick<RunTask, 'source'>, DeliveryPlan['destination']]>([
  [true, { source: { kind: 'file', path: '/talk.wav', name: 'talk' } }, store],
  [true, { source: remote }, { kind: 'folder', path: '/out' }],
  [false, { source: remote }, store],
])(
  'states as %s that a run of %j to %j shares files of this machine with the container',
  (shared, facts, destination) => {
    const delivery = { destination, names: [], overwrite: false, inputs: [] };
    expect(sharesFiles({ ...facts, target: '', delivery, buildInput: () => ({}) })).toBe(shared);
  },
);
