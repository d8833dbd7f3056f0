import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ensureDefinitions } from '../../../scripts/setup/kubernetes-tools.mjs';
import { type Answer, ApiServer } from './api-server.ts';
import type { Resource, Variant } from './variants.ts';

interface PodSpec {
  containers: { securityContext?: object }[];
}

interface Deployment extends Resource {
  spec: { template: { metadata: object; spec: PodSpec } };
}

interface Pod extends Resource {
  spec: PodSpec;
}

/**
 * Applies everything to a real API server that knows KEDA's resources. No controller makes pods of its Deployments, so
 * one of each is created here: Pod Security checks only pods.
 */
export async function startAdmissionCheck(scratch: string) {
  const api = await ApiServer.start(join(scratch, 'api-server'));
  try {
    for (const definition of await readDefinitions()) {
      const [problem] = problemsIn(definition, await api.apply(definition));
      if (problem !== undefined) throw new Error(problem);
    }
  } catch (error) {
    await api.stop();
    throw error;
  }
  console.log(`Asking the API server of Kubernetes ${api.version}`);
  return {
    problemsOf: async ({ resources }: Variant) => await problemsOf(resources, api),
    stop: () => api.stop(),
  };
}

async function problemsOf(resources: readonly Resource[], api: ApiServer): Promise<string[]> {
  const problems: string[] = [];
  const isTaken = (resource: Resource, answer: Answer): boolean => {
    problems.push(...problemsIn(resource, answer));
    return isSuccess(answer);
  };
  const taken: Resource[] = [];
  for (const resource of resources) {
    const { kind, metadata } = resource;
    if (metadata.namespace === undefined && (await api.isNamespaced(resource))) {
      problems.push(`${kind} ${metadata.name} has no namespace: it comes into the one of whoever applies it`);
      continue;
    }
    if (isTaken(resource, await api.apply(resource))) taken.push(resource);
    // A controller would make this account, which every pod needs.
    if (kind === 'Namespace') await api.apply(defaultAccount(metadata.name));
  }
  for (const pod of taken.filter(isDeployment).map(podOf)) {
    const refusal = await api.create(privileged(pod));
    if (refusal.status !== 403 || !refusal.message?.includes('violates PodSecurity'))
      problems.push(`the pod ${pod.metadata.name}, privileged, is not refused: ${refusal.message ?? refusal.status}`);
    if (isSuccess(refusal)) isTaken(pod, await api.remove(pod));
    if (isTaken(pod, await api.create(pod))) isTaken(pod, await api.remove(pod));
  }
  // The next variant starts without these resources; only a controller removes a namespace.
  for (const resource of taken.filter(({ kind }) => kind !== 'Namespace'))
    isTaken(resource, await api.remove(resource));
  return problems;
}

async function readDefinitions(): Promise<Resource[]> {
  const files = await ensureDefinitions();
  return await Promise.all(files.map(async (file) => parse(await readFile(file, 'utf8')) as Resource));
}

function problemsIn({ kind, metadata }: Resource, answer: Answer): string[] {
  const found = [...answer.warnings, ...(isSuccess(answer) ? [] : [`${answer.status} ${answer.message}`])];
  return found.map((text) => `${kind} ${metadata.name}: ${text}`);
}

const isSuccess = ({ status }: Answer): boolean => status < 300;

const isDeployment = (resource: Resource): resource is Deployment => resource.kind === 'Deployment';

function podOf({ metadata: { name, namespace }, spec: { template } }: Deployment): Pod {
  const metadata = { ...template.metadata, name, ...(namespace && { namespace }) };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec };
}

/**
 * The same pod as a privileged one. It must not claim that it cannot escalate, because privileged containers always
 * can.
 */
function privileged(pod: Pod): Pod {
  const securityContext = { privileged: true, allowPrivilegeEscalation: true };
  const containers = pod.spec.containers.map((container) => ({
    ...container,
    securityContext: { ...container.securityContext, ...securityContext },
  }));
  return { ...pod, spec: { ...pod.spec, containers } };
}

function defaultAccount(namespace: string): Resource {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } };
}
