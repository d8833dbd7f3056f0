export function buildRunUrl(uiUrl: string, namespace: string, workflowId: string, runId: string): string {
  const [inNamespace, id] = [encodeURIComponent(namespace), encodeURIComponent(workflowId)];
  return `${uiUrl.replace(/\/+$/, '')}/namespaces/${inNamespace}/workflows/${id}/${runId}/history`;
}
