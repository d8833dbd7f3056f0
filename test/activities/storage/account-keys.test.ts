import { expect, test } from 'vitest';
import { openStores } from '../../../stores/backends.ts';
import { failureOf, TestAttempt } from '../../support/attempt.ts';

const encode = (stores: ReturnType<typeof openStores>, input: { sourceUrl: string; uploadUrl: string }) =>
  // No container listens there: these runs fail before they need one.
  new TestAttempt('http://127.0.0.1:9', { stores }).encode({
    sourceUrl: input.sourceUrl,
    outputs: [{ format: 'mp3_128', uploadUrl: input.uploadUrl }],
  });

test.each([
  ['az://holdfast/media/a', 'az://holdfast/…', 'AZURE_STORAGE_CONNECTION_STRING'],
  ['gs://media/a', 'gs://media/…', 'GOOGLE_APPLICATION_CREDENTIALS'],
])('a run that needs %s fails at its start without credentials, and names %s and %s', async (url, shown, setting) => {
  const other = 'https://media.test/b';
  for (const input of [
    { sourceUrl: url, uploadUrl: other },
    { sourceUrl: other, uploadUrl: url },
  ]) {
    const failure = await failureOf(encode(openStores({}, 600), input));
    expect(failure).toMatchObject({ type: 'PresignFailed' });
    expect(failure.message).toContain(`Could not presign ${shown}`);
    expect(failure.message).toContain(setting);
  }
});

test('an Azure output in the place of the source is refused, however the source is spelled', async () => {
  const AZURE_STORAGE_CONNECTION_STRING = `DefaultEndpointsProtocol=https;AccountName=holdfast;AccountKey=${Buffer.from('key').toString('base64')};EndpointSuffix=core.windows.net`;
  const stores = openStores({ AZURE_STORAGE_CONNECTION_STRING }, 600);
  for (const sourceUrl of [
    'https://holdfast.blob.core.windows.net/media/a%20b.wav',
    'https://holdfast.blob.core.windows.net/media/a%20b.wav?sv=1&se=2&sr=b&sp=r&sig=s',
    'az://holdfast/media/a b.wav',
  ]) {
    const failure = await failureOf(encode(stores, { sourceUrl, uploadUrl: 'az://holdfast/media/a b.wav' }));
    expect(failure).toMatchObject({ type: 'InvalidRequest' });
    expect(failure.message).toContain('outputs.0 would replace the file that sourceUrl names');
  }
});
