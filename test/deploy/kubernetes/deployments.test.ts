import { describe, expect, test } from 'vitest';
import { useFolder } from '../../support/folder.ts';
import { toolPath } from '../../support/tools.ts';
import { Cluster } from './cluster.ts';
import { buildVariants, type Resource } from './variants.ts';

// Figures and secrets of the pods, as the components leave them.

interface ProbeTimes {
  failureThreshold: number;
  periodSeconds: number;
  timeoutSeconds?: number;
}

interface Deployment extends Resource {
  spec: {
    strategy?: { rollingUpdate?: { maxSurge: number | string; maxUnavailable: number } };
    template: {
      metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
      spec: {
        securityContext: { runAsUser: number; fsGroup?: number };
        containers: {
          name: string;
          args?: string[];
          env?: { name: string; value?: string }[];
          envFrom?: { secretRef?: { name: string } }[];
          resources: Record<'requests' | 'limits', Record<string, string>>;
          startupProbe?: ProbeTimes;
          livenessProbe?: ProbeTimes;
          volumeMounts?: { name: string; mountPath: string }[];
        }[];
        volumes?: {
          name: string;
          emptyDir?: { sizeLimit: string; medium?: string };
          secret?: { defaultMode?: number };
        }[];
      };
    };
  };
}

interface Namespace extends Resource {
  metadata: { name: string; labels: Record<string, string> };
}

interface DisruptionBudget extends Resource {
  spec: { maxUnavailable?: number; minAvailable?: number; unhealthyPodEvictionPolicy?: string };
}

interface ScaledObject extends Resource {
  spec: {
    minReplicaCount: number;
    maxReplicaCount: number;
    triggers: { metadata: Record<string, string> }[];
  };
}

const kustomize = await toolPath('KUSTOMIZE_PATH');
// The real path, because kustomize computes relative paths from it.
const clusters = (await buildVariants(kustomize, useFolder())).map((variant) => new Cluster(variant));

const gibi = 1024 ** 3;

const isMinute = (seconds: number): boolean => seconds >= 60;

function bytesOf(quantity = '0'): number {
  const [, number, unit = ''] = /^([\d.]+)(Mi|Gi)?$/.exec(quantity) ?? [];
  if (number === undefined) throw new Error(`"${quantity}" is not a number of Mi or Gi`);
  return Number(number) * ({ Mi: gibi / 1024, Gi: gibi }[unit] ?? 1);
}

test('the namespace refuses pods with more rights than ours need', () => {
  const [base] = clusters;
  const namespaces = base?.ofKind<Namespace>('Namespace').map(({ metadata }) => metadata.labels);
  expect(namespaces).toMatchObject([{ 'pod-security.kubernetes.io/enforce': 'restricted' }]);
});

describe.each(clusters)('the Deployments of $name', (cluster) => {
  const deployments = cluster.ofKind<Deployment>('Deployment').map(({ metadata, spec }) => ({
    name: spec.template.metadata.labels['app.kubernetes.io/name'] ?? metadata.name,
    ...spec,
    pod: spec.template.spec,
  }));
  const several = deployments.filter(({ name }) => ['encoder', 'server', 'workflows'].includes(name));
  const secretsOf = (name: string, container: string): string[] =>
    (deployments.find((one) => one.name === name)?.pod.containers ?? [])
      .filter((one) => one.name === container)
      .flatMap(({ envFrom = [] }) => envFrom.flatMap(({ secretRef }) => secretRef?.name ?? []));

  test('a rollout starts a new pod before it ends an old one, and one pod at most is evicted', () => {
    for (const { name, strategy } of several) {
      expect({ name, ...strategy?.rollingUpdate }).toEqual({ name, maxSurge: expect.anything(), maxUnavailable: 0 });
      expect(strategy?.rollingUpdate?.maxSurge).not.toBe(0);
    }
    for (const { metadata, spec } of cluster.ofKind<DisruptionBudget>('PodDisruptionBudget')) {
      expect({ name: metadata.name, ...spec }).toMatchObject({
        name: metadata.name,
        maxUnavailable: 1,
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
      });
    }
  });

  test('a container has the disk that its largest job needs, and no autoscaler evicts it from its node', () => {
    const encoder = deployments.find(({ name }) => name === 'encoder');
    const container = encoder?.pod.containers.find(({ args }) => args?.[0] === 'container');
    const limitOf = (setting: string) => Number(container?.env?.find(({ name }) => name === setting)?.value);
    const source = limitOf('MAX_SOURCE_BYTES');
    // A pod that exceeds the size of its volume is killed, while a file that exceeds its limit fails the job.
    expect(limitOf('MAX_OUTPUT_BYTES')).toBe(source);
    const { name: volume } = container?.volumeMounts?.find(({ mountPath }) => mountPath === '/scratch') ?? {};
    const size = encoder?.pod.volumes?.find(({ name }) => name === volume)?.emptyDir?.sizeLimit;
    // docs/kubernetes.md, "Memory and disk".
    const spareBytes = cluster.name === 'overlays/local' ? 2 * gibi : 4 * gibi;
    expect(bytesOf(size)).toBeGreaterThanOrEqual(3 * source + spareBytes);
    const { requests, limits } = container?.resources ?? { requests: {}, limits: {} };
    expect(bytesOf(requests['ephemeral-storage'])).toBeGreaterThanOrEqual(bytesOf(size));
    expect(bytesOf(limits['ephemeral-storage'])).toBeGreaterThanOrEqual(bytesOf(requests['ephemeral-storage']));
    // The container admits films up to its limit, so its node must have that memory.
    if (cluster.name !== 'overlays/local') expect(requests['memory']).toBe(limits['memory']);
    expect(encoder?.template.metadata.annotations).toEqual({
      'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
    });
  });

  test('a pod has a minute to start, and is not restarted before a minute of silence', () => {
    for (const { name, pod } of deployments) {
      for (const { startupProbe, livenessProbe } of pod.containers) {
        for (const { failureThreshold, periodSeconds } of [startupProbe, livenessProbe].filter(
          (one) => one !== undefined,
        ))
          expect({ name, seconds: failureThreshold * periodSeconds }).toEqual({
            name,
            seconds: expect.toSatisfy(isMinute),
          });
        // An encode may use all cores for seconds, and Kubernetes waits for one by default.
        if (livenessProbe !== undefined) expect(livenessProbe.timeoutSeconds ?? 1).toBeGreaterThanOrEqual(5);
      }
    }
  });

  test('no container requests more than its limits, which Kubernetes would refuse', () => {
    const figures = deployments.flatMap(({ name, pod }) =>
      pod.containers.flatMap(({ name: container, resources: { requests, limits } }) =>
        Object.entries(limits).map(([kind, limit]) => ({ name, container, kind, request: requests[kind], limit })),
      ),
    );
    expect(figures.filter(({ request, limit }) => bytesOf(request) > bytesOf(limit))).toEqual([]);
  });

  test('no volume takes its space from the memory of its pod', () => {
    const volumes = deployments.flatMap(({ pod }) => pod.volumes ?? []);
    expect(volumes.filter(({ emptyDir }) => emptyDir?.medium !== undefined)).toEqual([]);
  });

  test('the user of each pod can read the files of its secrets', () => {
    for (const { name, pod } of deployments) {
      const modes = (pod.volumes ?? []).flatMap(({ secret }) => (secret === undefined ? [] : [secret.defaultMode]));
      // Kubernetes gives the files to root and to the group `fsGroup`. 0644 is the default.
      for (const mode of modes) {
        expect({ name, canRead: mode === undefined || (mode & 0o040) !== 0 }).toEqual({ name, canRead: true });
        if (mode !== undefined) expect({ name, group: pod.securityContext.fsGroup }).toEqual({ name, group: 1000 });
      }
    }
  });

  test('KEDA starts a pod for the first job, as many pods as there is work, and removes one a minute after ten', () => {
    for (const { spec } of cluster.ofKind<ScaledObject>('ScaledObject')) {
      expect(spec).toMatchObject({ minReplicaCount: 0, maxReplicaCount: 20 });
      // docs/kubernetes.md, "Scaling".
      const scaleDown = {
        stabilizationWindowSeconds: 600,
        policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }],
      };
      expect(spec).toMatchObject({
        cooldownPeriod: 600,
        advanced: { horizontalPodAutoscalerConfig: { behavior: { scaleDown } } },
      });
      for (const { metadata } of spec.triggers) {
        const { targetValue, activationTargetValue, targetQueueSize, activationTargetQueueSize } = metadata;
        expect([targetValue ?? targetQueueSize, activationTargetValue ?? activationTargetQueueSize]).toEqual([
          '1',
          '0',
        ]);
      }
    }
  });

  test('all that sign URLs have the keys of the store, all that use Temporal have its key, and no container has either', () => {
    const users = [
      ['encoder', 'worker'],
      ['workflows', 'worker'],
      ['server', 'server'],
    ] as const;
    for (const secret of ['holdfast-s3', 'holdfast-temporal']) {
      const holders = users.filter(([pod, container]) => secretsOf(pod, container).includes(secret));
      expect([0, users.length]).toContain(holders.length);
    }
    expect(secretsOf('encoder', 'container')).toEqual([]);
  });
});

test('the components for S3 and for Temporal Cloud add their secrets', () => {
  for (const [name, secret] of [
    ['components/s3', 'holdfast-s3'] as const,
    ['components/temporal-cloud', 'holdfast-temporal'] as const,
  ]) {
    const cluster = clusters.find((one) => one.name === name);
    expect(JSON.stringify(cluster?.ofKind('Deployment')).split(`"${secret}"`)).toHaveLength(4);
  }
});
