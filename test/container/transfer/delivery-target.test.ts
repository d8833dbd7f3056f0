import { expect, test } from 'vitest';
import { placesOfTarget, removalProblem, sizeProblem } from '../../../container/transfer/delivery-target.ts';

const gibibyte = 1024 ** 3;
const single = (url: string) => ({ kind: 'single' as const, url });
const signed = 'https://b.s3.amazonaws.com/k?X-Amz-Signature=1';

test.each<[string, string, number, string | undefined]>([
  ['S3 at its limit', signed, 5 * gibibyte, undefined],
  ['S3 above it', signed, 5 * gibibyte + 1, 'S3 takes 5368709120 in one PUT'],
  ['version 2 above it', 'https://a.test/k?AWSAccessKeyId=a&Signature=b&Expires=1', 6 * gibibyte, 'in one PUT'],
  ['Google above it', 'https://a.test/k?X-Goog-Signature=1', 6 * gibibyte, undefined],
  ['an unsigned URL', 'https://a.test/k', 6 * gibibyte, undefined],
  ['a file', 'file:///media/k', 6 * gibibyte, undefined],
  ['a signed length', `${signed}&content-length=7`, 8, 'signed for 7'],
  ['its own length', `${signed}&Content-Length=8`, 8, undefined],
])('limits the size of one PUT to %s', (_what, url, size, problem) => {
  if (problem === undefined) expect(sizeProblem(single(url), size)).toBeUndefined();
  else expect(sizeProblem(single(url), size)).toContain(problem);
});

test('recognises the place of an object whatever its signature and spelling', () => {
  const multipart = {
    ...{ kind: 'multipart' as const, partUrls: [], partSize: 1, abortUrl: 'https://a.test/k?uploadId=1' },
    completeUrl: 'https://a.test/k?uploadId=1&X-Amz-Signature=1',
  };
  expect(placesOfTarget(multipart)).toEqual(
    placesOfTarget(single('https://a.test/k?x-id=PutObject&X-Amz-Signature=2')),
  );
  // Without a signature, a query may name another object.
  expect(placesOfTarget(single('https://a.test/k?file=1'))).not.toEqual(
    placesOfTarget(single('https://a.test/k?file=2')),
  );
});

test('accepts a deleteUrl that names its object in the other style of URLs', () => {
  const target = single('https://talks.store.test/v1.0/k?X-Amz-Signature=1');
  const deleteUrl = (name: string) => `https://store.test/talks/v1.0/${name}?X-Amz-Signature=2`;
  expect(removalProblem({ ...target, deleteUrl: deleteUrl('k') })).toBeUndefined();
  expect(removalProblem({ ...target, deleteUrl: deleteUrl('other') })).toBe('its deleteUrl is for another object');
});
