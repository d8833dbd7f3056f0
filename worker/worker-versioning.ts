import type { VersioningBehavior } from '@temporalio/common';
import type { WorkerOptions } from '@temporalio/worker';
import type { WorkerConfig } from './config.ts';

/**
 * Versioning applies to workers that run workflows; activity-only workers take tasks of any build. The workers set the
 * behaviour instead of the workflows, because the server rejects a workflow with one from an unversioned worker.
 */
export function versioningOf(
  { deploymentVersion }: Partial<Pick<WorkerConfig, 'deploymentVersion'>>,
  defaultVersioningBehavior: VersioningBehavior,
): Partial<WorkerOptions> {
  if (deploymentVersion === undefined) return {};
  return {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version: deploymentVersion,
      defaultVersioningBehavior,
    },
  };
}
