export interface ClusterTools {
  /** The folder of `initdb` and `postgres`. */
  postgresFolder: string;
  temporalServer: string;
  /** Has Temporal's schemas in it. */
  sqlTool: string;
}

/** The paths of what `npm run check:cluster` runs. */
export function ensureClusterTools(): Promise<ClusterTools>;
