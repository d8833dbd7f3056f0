import { expect, test } from 'vitest';
import { CommandRun, type CommandRunParts } from '../../../cli/run/command-run.ts';
import { encodeCommand } from '../../../cli/run/encode-workflow.ts';
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
