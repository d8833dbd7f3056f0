import type { Connection } from '@temporalio/client';
import type { DeploymentVersion } from '../settings.ts';

/** Makes the build current, so that new runs start on it; false until its worker polls. */
export async function makeCurrentVersion(
  connection: Connection,
  namespace: string,
  { deploymentName, buildId }: DeploymentVersion,
): Promise<boolean> {
  try {
    await connection.workflowService.setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId });
    return true;
  } catch (error) {
    // Imported late: a refused command starts no stack, and loads no client of Temporal.
    const { hasGrpcStatus } = await import('../../client/grpc-status.ts');
    // The version's worker does not poll all its task queues yet.
    if (hasGrpcStatus(error, 'NOT_FOUND', 'FAILED_PRECONDITION')) return false;
    throw error;
  }
}

/** Advice for a Temporal server that this command does not manage. */
export function currentVersionAdvice({ deploymentName, buildId }: DeploymentVersion): string {
  return (
    `The worker is build ${buildId} of the deployment ${deploymentName}. Runs start on it once it is the current version: ` +
    `\`temporal worker deployment set-current-version --deployment-name ${deploymentName} --build-id ${buildId}\`.`
  );
}
