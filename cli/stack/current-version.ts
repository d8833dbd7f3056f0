import type { Connection } from '@temporalio/client';
import type { DeploymentVersion } from '../settings.ts';

/** gRPC's NOT_FOUND and FAILED_PRECONDITION: the server does not know yet that the version's worker polls all of its task queues. */
const notYet = new Set([5, 9]);

/** Has new runs begin on this build; false until its worker polls. */
export async function makeCurrentVersion(
  connection: Connection,
  namespace: string,
  { deploymentName, buildId }: DeploymentVersion,
): Promise<boolean> {
  try {
    await connection.workflowService.setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId });
    return true;
  } catch (error) {
    if (notYet.has((error as { code?: number }).code ?? 0)) return false;
    throw error;
  }
}

/** For a server of others, where a build becomes current when they decide. */
export function currentVersionAdvice({ deploymentName, buildId }: DeploymentVersion): string {
  return (
    `The worker is build ${buildId} of the deployment ${deploymentName}: runs begin on it once it is the current version. ` +
    `\`temporal worker deployment set-current-version --deployment-name ${deploymentName} --build-id ${buildId}\` makes it so.`
  );
}
