import type { z } from 'zod';
import type { AttemptContext, EncodeActivityInput, TimedResult } from '../../contract/activity.ts';
import { type EncodeRequest, EncodeResult } from '../../contract/http/encode.ts';
import { runAttempt } from './run-attempt.ts';
import { type AttemptDependencies, runContainerJob } from './run-container-job.ts';

export type EncodeActivityResult = Pick<EncodeResult, 'outputs' | 'source'>;

/** One attempt to encode, at the one container that this worker's slot stands for. */
export function encodeActivity(dependencies: AttemptDependencies) {
  return async function encode(
    input: EncodeActivityInput,
    context: AttemptContext,
  ): Promise<TimedResult<EncodeActivityResult>> {
    return runAttempt(context, dependencies.at, async (attempt) => {
      const result = await runContainerJob(
        {
          kind: 'encode',
          mediaUrls: [input.sourceUrl, ...input.outputs.map((output) => output.uploadUrl)],
          body: async (urls): Promise<z.input<typeof EncodeRequest>> => ({
            ...input,
            sourceUrl: await urls.resolveSource(input.sourceUrl),
            outputs: await Promise.all(
              input.outputs.map(async (output) => ({
                ...output,
                uploadUrl: await urls.resolveUpload(output.uploadUrl),
              })),
            ),
          }),
        },
        attempt,
        dependencies,
      );
      const { outputs, source } = EncodeResult.parse(result);
      return { outputs, source };
    });
  };
}
