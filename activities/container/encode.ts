import type { z } from 'zod';
import type { AttemptContext, EncodeActivityInput, TimedResult } from '../../contract/activity.ts';
import { type EncodeRequest, EncodeResult } from '../../contract/http/encode.ts';
import { resolveHeaders } from './resolve-headers.ts';
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
      const { headers, outputs: requested, ...rest } = input;
      const result = await runContainerJob(
        {
          kind: 'encode',
          mediaUrls: [rest.sourceUrl, ...requested.map((output) => output.uploadUrl)],
          body: async (urls): Promise<z.input<typeof EncodeRequest>> => ({
            ...rest,
            sourceUrl: await urls.resolveSource(rest.sourceUrl),
            ...resolveHeaders(headers, dependencies.headerVariables),
            outputs: await Promise.all(
              requested.map(async ({ headers: uploadHeaders, ...output }) => ({
                ...output,
                uploadUrl: await urls.resolveUpload(output.uploadUrl),
                ...resolveHeaders(uploadHeaders, dependencies.headerVariables),
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
