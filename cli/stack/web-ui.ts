import type { Settings } from '../settings.ts';
import { isLoopback, isOpen, parseAddress } from './ports.ts';

/** Of a Temporal that we have not started: a dev server has its Web UI a thousand ports further on, Temporal's cloud at one place. */
export async function findWebUi({ temporal }: Settings): Promise<string | undefined> {
  if (temporal.uiUrl !== undefined) return temporal.uiUrl;
  const place = parseAddress(temporal.address, 7233);
  if (/\.(?:tmprl\.cloud|api\.temporal\.io)$/.test(place.host)) return 'https://cloud.temporal.io';
  const ui = { host: place.host, port: place.port + 1000 };
  return isLoopback(place.host) && (await isOpen(ui)) ? `http://127.0.0.1:${ui.port}` : undefined;
}

export function runUrl(uiUrl: string, namespace: string, workflowId: string, runId: string): string {
  const [inNamespace, id] = [encodeURIComponent(namespace), encodeURIComponent(workflowId)];
  return `${uiUrl.replace(/\/+$/, '')}/namespaces/${inNamespace}/workflows/${id}/${runId}/history`;
}
