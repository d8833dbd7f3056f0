import { ApplicationFailure, log, sleep } from '@temporalio/workflow';
import { failureType } from '../../contract/error-codes.ts';

/**
 * Seconds before the next attempt of a segment that a container with other encoders has refused. Meanwhile another
 * container can become free. After the last wait, one container encodes the whole film.
 */
const waitsSeconds = [5, 10, 20, 40, 80, 160];

/** Repeats work that a container with other encoders refuses; the queue may give it to another container. */
export async function askElsewhere<Result>(
  what: string,
  work: () => Promise<Result>,
  onRefusal: () => void,
): Promise<Result> {
  for (let refusals = 0; ; refusals += 1) {
    try {
      return await work();
    } catch (error) {
      const seconds = waitsSeconds[refusals];
      if (!isOtherEncoder(error) || seconds === undefined) throw error;
      onRefusal();
      log.info(`A container with other encoders refused ${what}. Asking again in ${seconds}s...`);
      await sleep(seconds * 1000, { summary: `Other encoders: ${what} asks again in ${seconds} s` });
    }
  }
}

export function isOtherEncoder(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.type === failureType('other_encoder');
}
