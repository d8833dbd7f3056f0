import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/folder.ts';
import { startNode } from '../support/process.ts';

test('a worker with a bad file exits at once with the reason in one sentence', async () => {
  const path = join(testFolder(), 'providers.json');
  const provider = { kind: 'openai-transcription', url: 'https://api.test/', timeoutSeconds: 0 };
  await writeFile(path, JSON.stringify({ 'a/b': provider }));
  const worker = startNode('worker/main.ts', { PROVIDERS_FILE: path });
  expect(await worker.exited).toEqual({ code: 1, signal: null });
  expect(worker.output).toMatch(/^PROVIDERS_FILE is not valid: a\/b\.timeoutSeconds .*\.$/);
});
