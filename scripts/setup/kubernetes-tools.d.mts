/** The paths of what `npm run check:kubernetes` runs. */
export function ensureKubernetesTools(): Promise<{
  kustomize: string;
  /** A Python that has kubernetes-validate. */
  python: string;
  /** The folder of KEDA's custom resource definitions. */
  kedaDefinitions: string;
}>;
