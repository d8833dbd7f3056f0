import type { Resource, Variant } from './variants.ts';

export type Labels = Record<string, string>;

export interface Selector {
  matchLabels?: Labels;
}

export interface Probe {
  httpGet?: { path: string; port: string | number };
  tcpSocket?: { port: string | number };
  failureThreshold?: number;
  periodSeconds?: number;
}

interface Variable {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: { fieldPath: string };
    secretKeyRef?: { name: string; key: string };
  };
}

export interface Container {
  name: string;
  image: string;
  args?: string[];
  env?: Variable[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name?: string; containerPort: number }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  volumeMounts?: { name: string; mountPath: string }[];
}

interface PodSpec {
  containers: Container[];
  volumes?: { name: string; secret?: { items?: { path: string }[] } }[];
  topologySpreadConstraints?: { topologyKey: string; labelSelector: Selector }[];
}

/** Pods of one Deployment. */
export interface Pod {
  /** Their label `app.kubernetes.io/name`. The Deployment of a build has another name. */
  name: string;
  labels: Labels;
  spec: PodSpec;
  /** Undefined leaves the number to an autoscaler. */
  replicas: number | undefined;
}

interface Deployment extends Resource {
  spec: { replicas?: number; selector: Selector; template: { metadata: { labels: Labels }; spec: PodSpec } };
}

interface Service extends Resource {
  spec: { selector: Labels; ports: { name?: string; port: number; targetPort?: string | number }[] };
}

interface DisruptionBudget extends Resource {
  spec: { selector: Selector };
}

interface ConfigMap extends Resource {
  data: Record<string, string>;
}

export interface ScaledObject extends Resource {
  spec: {
    scaleTargetRef: { name: string };
    triggers: { type: string; metadata: Record<string, string>; authenticationRef?: { name: string } }[];
  };
}

interface TriggerAuthentication extends Resource {
  spec: { secretTargetRef: { parameter: string }[] };
}

export interface Peer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string; except?: string[] };
}

export interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: { port: number; protocol?: string }[];
}

interface NetworkPolicy extends Resource {
  spec: { podSelector: Selector; policyTypes: string[]; ingress?: Rule[]; egress?: Rule[] };
}

/** Namespace that all variants are applied to. */
export const namespace = 'holdfast';

/** Address of each pod here, as its variables see it. */
const podAddress = '192.0.2.1';

/** A container that declares the port of a connection. */
interface Listener {
  pod: string;
  container: Container;
  port: number;
}

/** Resources of one variant by kind. */
export class Cluster {
  readonly name: string;
  readonly pods: readonly Pod[];
  readonly deployments: readonly Deployment[];
  readonly services: readonly Service[];
  readonly budgets: readonly DisruptionBudget[];
  readonly scaledObjects: readonly ScaledObject[];
  readonly triggerAuthentications: readonly TriggerAuthentication[];
  readonly networkPolicies: readonly NetworkPolicy[];
  readonly #configMaps: readonly ConfigMap[];
  readonly #resources: readonly Resource[];

  constructor({ name, resources }: Variant) {
    this.name = name;
    this.#resources = resources;
    const ofKind = <Kind extends Resource>(kind: string): Kind[] => this.ofKind<Kind>(kind);
    this.deployments = ofKind('Deployment');
    this.services = ofKind('Service');
    this.budgets = ofKind('PodDisruptionBudget');
    this.scaledObjects = ofKind('ScaledObject');
    this.triggerAuthentications = ofKind('TriggerAuthentication');
    this.networkPolicies = ofKind('NetworkPolicy');
    this.#configMaps = ofKind('ConfigMap');
    this.pods = this.deployments.map(({ metadata, spec: { replicas, template } }) => ({
      name: template.metadata.labels['app.kubernetes.io/name'] ?? metadata.name,
      labels: template.metadata.labels,
      spec: template.spec,
      replicas,
    }));
  }

  ofKind<Kind extends Resource>(kind: string): Kind[] {
    return this.#resources.filter((resource): resource is Kind => resource.kind === kind);
  }

  pod(name: string): Pod {
    const found = this.pods.find((pod) => pod.name === name);
    if (found === undefined) throw new Error(`${this.name} has no Deployment ${name}`);
    return found;
  }

  /** Names of the pods that a selector matches. An empty selector matches all. */
  selected(selector: Selector): string[] {
    return this.pods.filter(({ labels }) => isSelected(selector, labels)).map(({ name }) => name);
  }

  /** Variables of a container with a known value. Secrets get their name and key as the value. */
  environmentOf(container: Container): Record<string, string> {
    const environment: Record<string, string> = {};
    for (const { configMapRef } of container.envFrom ?? []) {
      if (configMapRef === undefined) continue;
      const configMap = this.#configMaps.find(({ metadata }) => metadata.name === configMapRef.name);
      if (configMap === undefined) throw new Error(`${this.name} has no ConfigMap ${configMapRef.name}`);
      Object.assign(environment, configMap.data);
    }
    for (const { name, value = '', valueFrom } of container.env ?? []) {
      const { fieldRef, secretKeyRef } = valueFrom ?? {};
      if (fieldRef?.fieldPath === 'status.podIP') environment[name] = podAddress;
      else if (secretKeyRef !== undefined) environment[name] = `${secretKeyRef.name}/${secretKeyRef.key}`;
      // Kubernetes expands only variables that come earlier.
      else environment[name] = value.replaceAll(/\$\((\w+)\)/g, (text, known: string) => environment[known] ?? text);
    }
    return environment;
  }

  /** Containers that answer at the host and port of an address, seen from the pod `from`; undefined outside of the namespace. */
  containersAt(host: string, port: number, from?: Pod): Listener[] | undefined {
    if (host === podAddress && from !== undefined) return this.#listeners([from.name], port);
    const [name, ofNamespace, svc] = host.split('.');
    if (svc !== 'svc' || ofNamespace !== namespace) return undefined;
    const service = this.services.find(({ metadata }) => metadata.name === name);
    const servicePort = service?.spec.ports.find((one) => one.port === port);
    if (service === undefined || servicePort === undefined) return [];
    return this.#listeners(
      this.selected({ matchLabels: service.spec.selector }),
      servicePort.targetPort ?? servicePort.port,
    );
  }

  #listeners(pods: readonly string[], port: string | number): Listener[] {
    return pods.flatMap((pod) =>
      this.pod(pod).spec.containers.flatMap((container) => {
        const number = portOf(container, port);
        return number === undefined ? [] : [{ pod, container, port: number }];
      }),
    );
  }
}

/** Number of a port of a container, by its name or number; undefined if the container does not declare it. */
export function portOf({ ports = [] }: Container, port: string | number): number | undefined {
  return ports.find(({ name, containerPort }) => port === name || port === containerPort)?.containerPort;
}

export function isSelected(selector: Selector, labels: Labels): boolean {
  const { matchLabels = {}, ...others } = selector;
  if (Object.keys(others).length > 0) throw new Error(`a selector has ${Object.keys(others).join(', ')}`);
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
}
