import { transcriptFailed } from '../../contract/workflow/failure.ts';

/** Why a run failed, and which setting or option would help. */
export async function explainFailure(error: unknown, isRemoteSource: boolean): Promise<string> {
  const { describeFailure, failedBy, failureTypeOf, isAddressForbidden } = await import('../../client/failure.ts');
  const sentences = [describeFailure(error)];
  if (isAddressForbidden(error) && isRemoteSource) {
    sentences.push(
      'To allow addresses of your own network, set ALLOW_PRIVATE_ADDRESSES (a list of hosts or CIDRs) where the container starts, such as `npx holdfast start`, and start it again.',
    );
  }
  if (failedBy(error, 'no_audio')) {
    sentences.push(
      'To encode a film without audio, use a video preset such as --preset web-h264-720, without --captions. `npx holdfast inspect` lists the streams of a file.',
    );
  }
  if (failureTypeOf(error) === transcriptFailed) {
    sentences.push(
      'To see what failed, run `npx holdfast runs show` with the id of that run. Another --provider may help.',
    );
  }
  return sentences.join('\n');
}
