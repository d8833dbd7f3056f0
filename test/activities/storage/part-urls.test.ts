import { expect, test } from 'vitest';
import { mostPartsOf } from '../../../activities/storage/part-urls.ts';
import { planParts, usualPartSizes } from '../../../contract/part-plan.ts';

test.each([
  ['a short key', 's3://media/a.mp4'],
  ['a key of 1,000 characters', `gs://media/${'a'.repeat(1_000)}`],
  ['a key of 1,000 characters that URLs escape', `az://account/media/${'音'.repeat(1_000)}`],
])('the URLs of the largest object of S3 fit into one request for %s', (_what, url) => {
  const plan = planParts(5 * 1024 ** 4, usualPartSizes, mostPartsOf(url));
  expect(plan?.partSize).toBeLessThanOrEqual(5 * 1024 ** 3);
  // A signature of Google with a key of 4,096 bits has 1,024 characters, and its other parameters have about 400.
  const signed = `https://storage.googleapis.com/${encodeURIComponent(url)}?${'s'.repeat(1_424)}`;
  expect((plan?.parts ?? Infinity) * (signed.length + 3)).toBeLessThan(16 * 1024 ** 2);
});
