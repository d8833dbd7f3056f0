import type { z } from 'zod';
import type { AttemptContext, EncodeActivityInput, TimedResult } from '../../contract/activity.ts';
import { type EncodeRequest, EncodeResult, type RequestedOutput } from '../../contract/http/encode.ts';
import { type Presigner, RequestUrls } from '../storage/presign.ts';
import { isS3Url } from '../storage/s3-url.ts';
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
              requested.map(async ({ headers: uploadHeaders, uploadUrl, ...output }) => ({
                ...output,
                ...(await requestedPlace(uploadUrl, dependencies.presigner)),
                ...resolveHeaders(uploadHeaders, dependencies.headerVariables),
              })),
            ),
          }),
          targetOf: ({ output }) => requested[output]?.uploadUrl ?? '',
        },
        attempt,
        dependencies,
      );
      const { outputs, source } = EncodeResult.parse(result);
      return { outputs, source };
    });
  };
}

/** `s3:` targets are signed when the file is ready: no signature then runs out during the job, and a large file goes in parts. */
async function requestedPlace(
  uploadUrl: string,
  presigner: Presigner,
): Promise<Pick<RequestedOutput, 'uploadUrl' | 'deliver'>> {
  if (!isS3Url(uploadUrl)) return { uploadUrl };
  // Missing credentials are found before the encode.
  await new RequestUrls(presigner).resolveUpload(uploadUrl);
  return { deliver: 'on_demand' };
}
