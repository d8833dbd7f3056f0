/** Why a run has failed, and where a setting would let it succeed, which. */
export async function explainFailure(error: unknown, isRemoteSource: boolean): Promise<string> {
  const { describeFailure, isAddressForbidden } = await import('../../client/failure.ts');
  const remedy =
    isAddressForbidden(error) && isRemoteSource
      ? '\nTo let the container reach an address of your own network, name it in ALLOW_PRIVATE_ADDRESSES (a list of hosts or CIDRs).'
      : '';
  return `${describeFailure(error)}${remedy}`;
}
