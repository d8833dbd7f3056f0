// What `npm run check:kubernetes` runs, made where it is missing.

export function ensureKustomize(): Promise<string>;

/** A Python that has kubernetes-validate. */
export function ensureKubernetesValidate(): Promise<string>;

/** The folder of KEDA's custom resource definitions. */
export function ensureKedaDefinitions(): Promise<string>;

export interface KubeApiServer {
  etcd: string;
  apiServer: string;
  /** Of Kubernetes */
  version: string;
}

export function ensureKubeApiServer(): Promise<KubeApiServer>;
