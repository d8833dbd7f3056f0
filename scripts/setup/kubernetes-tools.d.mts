// Programs of `npm run check:kubernetes`; missing ones are made.

/** Python with kubernetes-validate. */
export function ensureKubernetesValidate(): Promise<string>;

/** Folder of KEDA's custom resource definitions. */
export function ensureKedaDefinitions(): Promise<string>;

export interface KubeApiServer {
  etcd: string;
  apiServer: string;
  /** version of Kubernetes */
  version: string;
}

export function ensureKubeApiServer(): Promise<KubeApiServer>;
