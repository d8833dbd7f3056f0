import { randomUUID } from 'node:crypto';
import packageFacts from '../package.json' with { type: 'json' };

export const { name: packageName, version } = packageFacts;

/** Identifies this process in log lines, spans and, for a container, its answers. */
export const instanceId = randomUUID();

/** Metric that joins the version of a process to its other metrics: its value is always 1. */
export const buildInfo = {
  name: 'holdfast_build_info',
  help: 'Version of the process; always 1',
  labels: (buildId: string | undefined) => ({
    version,
    build_id: buildId ?? '',
    node_version: process.versions.node,
  }),
};
