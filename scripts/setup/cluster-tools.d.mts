export interface ClusterTools {
  /** Folder of `initdb` and `postgres`. */
  postgresFolder: string;
  temporalServer: string;
  /** `temporal-sql-tool`, with Temporal's schemas built in. */
  sqlTool: string;
}

export function ensureClusterTools(): Promise<ClusterTools>;
