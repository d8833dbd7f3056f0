import { CliError } from '../cli-error.ts';

/** Why a run has failed, and where a setting would let it succeed, which. */
export async function explainFailure(error: unknown, title: string, isRemoteSource: boolean): Promise<string> {
  const { describeFailure, isAddressForbidden } = await import('../../client/failure.ts');
  const what = error instanceof CliError ? '' : `${title} failed.\n`;
  const remedy =
    isAddressForbidden(error) && isRemoteSource
      ? '\nTo let the container reach an address of your own network, name it in ALLOW_PRIVATE_ADDRESSES (a list of hosts or CIDRs).'
      : '';
  return `${what}${describeFailure(error)}${remedy}`;
}
