import type { AttemptContext, EncodeStep, TimedResult } from '../../contract/activity.ts';
import { type EncodeRequest, EncodeResult } from '../../contract/http/encode.ts';
import type { z } from 'zod';
import { runAttempt } from './run-attempt.ts';
import { type Containers, runJob } from './run-container-job.ts';

export type EncodeStepResult = Pick<EncodeResult, 'outputs' | 'source'>;

/** One attempt to encode, at the one container that this worker's slot stands for. */
export function encodeActivity(containers: Containers) {
  return async function encode(step: EncodeStep, context: AttemptContext): Promise<TimedResult<EncodeStepResult>> {
    return runAttempt(context, containers.at, async (attempt) => {
      const result = await runJob(
        {
          path: '/encode',
          mediaUrls: [step.sourceUrl, ...step.outputs.map((output) => output.uploadUrl)],
          body: async (urls): Promise<z.input<typeof EncodeRequest>> => ({
            ...step,
            sourceUrl: await urls.source(step.sourceUrl),
            outputs: await Promise.all(
              step.outputs.map(async (output) => ({ ...output, uploadUrl: await urls.upload(output.uploadUrl) })),
            ),
          }),
        },
        attempt,
        containers,
      );
      const { outputs, source } = EncodeResult.parse(result);
      return { outputs, source };
    });
  };
}
