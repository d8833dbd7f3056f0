import { randomBytes } from 'node:crypto';

/** Many sources have the same name, and Temporal keeps ended runs for weeks: shorter endings would collide. */
const endingBytes = 5;

/**
 * A workflow id that a person recognises in the Web UI: `encode-talk-3f9a1c08b2`. It is random unless `ending` is
 * given.
 */
export function createRunName(
  prefix: string,
  sourceName: string,
  ending = randomBytes(endingBytes).toString('hex'),
): string {
  const slug = sourceName
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 40);
  return [prefix, ...(slug === '' ? [] : [slug]), ending].join('-');
}
