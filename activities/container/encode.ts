import type { z } from 'zod';
import type { AttemptContext, EncodeActivityInput, Submission } from '../../contract/activity.ts';
import type { EncodeRequest } from '../../contract/http/encode.ts';
import type { RequestedOutput } from '../../contract/http/output.ts';
import { type Presigner, RequestUrls } from '../storage/presign.ts';
import { isS3Url } from '../storage/s3-url.ts';
import { resolveHeaders } from './resolve-headers.ts';
import { runAttempt } from './run-attempt.ts';
import { type SubmitDependencies, submitJob } from './submit-job.ts';

/** Submits an encode to the one container that this worker's slot stands for. */
export function encodeActivity(dependencies: SubmitDependencies) {
  return async function encode(input: EncodeActivityInput, context: AttemptContext): Promise<Submission> {
    const { headers, outputs, ...rest } = input;
    const body = async (urls: RequestUrls): Promise<z.input<typeof EncodeRequest>> => ({
      ...rest,
      sourceUrl: await urls.resolveSource(rest.sourceUrl),
      ...resolveHeaders(headers, dependencies.headerVariables),
      outputs: await Promise.all(
        outputs.map(async ({ headers: uploadHeaders, uploadUrl, ...output }) => ({
          ...output,
          ...(await requestedPlace(uploadUrl, dependencies.presigner)),
          ...resolveHeaders(uploadHeaders, dependencies.headerVariables),
        })),
      ),
    });
    return runAttempt(context, dependencies.clients, (attempt) =>
      submitJob({ kind: 'encode', body }, attempt, dependencies),
    );
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
