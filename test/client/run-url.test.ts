import { expect, test } from 'vitest';
import { buildRunUrl } from '../../client/run-url.ts';

test('escapes workflow ids in the URL of a run’s page, for example a limiter’s', () => {
  expect(buildRunUrl('http://127.0.0.1:8233/', 'default', 'limiter/staging/openai/whisper-1', 'run-1')).toBe(
    'http://127.0.0.1:8233/namespaces/default/workflows/limiter%2Fstaging%2Fopenai%2Fwhisper-1/run-1/history',
  );
});
