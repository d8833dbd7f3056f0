// Programs of `npm run check:kubernetes`; missing ones are made.

/** Python with kubernetes-validate. */
export function ensureKubernetesValidate(): Promise<string>;

/** Files with the definitions of the custom resources in the manifests: KEDA's, the gateway's, Prometheus'. */
export function ensureDefinitions(): Promise<string[]>;

export interface KubeApiServer {
  etcd: string;
  apiServer: string;
  /** version of Kubernetes */
  version: string;
}

export function ensureKubeApiServer(): Promise<KubeApiServer>;
