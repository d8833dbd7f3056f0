/** Why a run failed, and which setting or option would help. */
export async function explainFailure(error: unknown, isRemoteSource: boolean): Promise<string> {
  const { describeFailure, failedBy, isAddressForbidden } = await import('../../client/failure.ts');
  const sentences = [describeFailure(error)];
  if (isAddressForbidden(error) && isRemoteSource) {
    sentences.push(
      'To allow addresses of your own network, set ALLOW_PRIVATE_ADDRESSES of the container (a list of hosts or CIDRs).',
    );
  }
  if (failedBy(error, 'no_audio')) {
    sentences.push(
      'To encode a film without audio, use a video preset such as --preset web-h264-720. `npx holdfast inspect` lists the streams of a file.',
    );
  }
  return sentences.join('\n');
}
