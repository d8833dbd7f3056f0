/** Why a run has failed, and where a setting or an option would let it succeed, which. */
export async function explainFailure(error: unknown, isRemoteSource: boolean): Promise<string> {
  const { describeFailure, failedBy, isAddressForbidden } = await import('../../client/failure.ts');
  const sentences = [describeFailure(error)];
  if (isAddressForbidden(error) && isRemoteSource) {
    sentences.push(
      'To let the container reach an address of your own network, name it in ALLOW_PRIVATE_ADDRESSES (a list of hosts or CIDRs).',
    );
  }
  if (failedBy(error, 'no_audio')) {
    sentences.push(
      'A film without sound is encoded by a preset of films, such as --preset web-h264-720; `npm run inspect` tells what is in a file.',
    );
  }
  return sentences.join('\n');
}
