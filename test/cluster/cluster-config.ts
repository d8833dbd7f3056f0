import { databaseUser } from './postgres.ts';

export type ServiceName = 'frontend' | 'matching' | 'history' | 'worker';

/** Ports of one process of a cluster: for calls, and for finding the others. */
export interface ServicePorts {
  grpc: number;
  membership: number;
}

export interface ClusterPlace {
  postgresPort: number;
  frontendPort: number;
  dynamicConfigFile: string;
}

/** Section `global` of Temporal's configuration. */
export interface FrontendSecurity {
  tls?: {
    frontend: { server: { certFile: string; keyFile: string; requireClientAuth?: boolean; clientCaFiles?: string[] } };
  };
  authorization?: { jwtKeyProvider: { keySourceURIs: string[] }; authorizer: 'default'; claimMapper: 'default' };
}

const connectionsEach = 15;

/** Configuration of a process with one service, as JSON, which is YAML. */
export function clusterConfig(
  { grpc, membership }: ServicePorts,
  { postgresPort, frontendPort, dynamicConfigFile }: ClusterPlace,
  security: FrontendSecurity = {},
): string {
  const rpc = { rpc: { grpcPort: grpc, membershipPort: membership, bindOnLocalHost: true } };
  const frontend = `127.0.0.1:${frontendPort}`;
  const database = (databaseName: string) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectProtocol: 'tcp',
      user: databaseUser,
      password: '',
      connectAddr: `127.0.0.1:${postgresPort}`,
      maxConns: connectionsEach,
      maxIdleConns: connectionsEach,
      maxConnLifetime: '1h',
    },
  });
  return JSON.stringify({
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: 64,
      datastores: { default: database('temporal'), visibility: database('temporal_visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' }, ...security },
    // Each process must know all services; membership announces the ports of the others.
    services: { frontend: rpc, history: rpc, matching: rpc, worker: rpc },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: frontend },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    publicClient: { hostPort: frontend },
    dynamicConfigClient: { filepath: dynamicConfigFile, pollInterval: '10s' },
  });
}

/** Settings of Holdfast's development server; registrations take effect at once. */
export const dynamicConfig = JSON.stringify(
  Object.fromEntries(
    Object.entries({
      'matching.numTaskqueueReadPartitions': 1,
      'matching.numTaskqueueWritePartitions': 1,
      'matching.useNewMatcher': true,
      'matching.enableFairness': true,
      'frontend.keepAliveTime': '2s',
      'frontend.keepAliveTimeout': '3s',
      'system.forceSearchAttributesCacheRefreshOnRead': true,
      'system.namespaceCacheRefreshInterval': '1s',
    }).map(([name, value]) => [name, [{ value }]]),
  ),
);
