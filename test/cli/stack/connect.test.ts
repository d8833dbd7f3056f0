import { expect, test } from 'vitest';
import { readSettings } from '../../../cli/settings.ts';
import { connectToStack } from '../../../cli/stack/connect.ts';
import { freePort } from '../../support/ports.ts';

test('says which command runs the stack whose Temporal server does not answer', async () => {
  const temporalAddress = `127.0.0.1:${await freePort()}`;
  const settings = readSettings({ TEMPORAL_CONFIG_FILE: '/nowhere' });
  await expect(connectToStack(settings, { temporalAddress, command: 'start', pid: 4711 }, 100)).rejects.toThrow(
    new RegExp(
      `^\`npx holdfast start\` \\(process 4711\\) runs a stack, but its Temporal server at ${temporalAddress} does not answer: .*\\. Try again`,
    ),
  );
});
