import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { HealthBody } from '../../contract/http/job.ts';

/** True if a Holdfast container answers at the URL. */
export async function isHealthy(containerUrl: string): Promise<boolean> {
  try {
    // Node's own clients load faster than undici, and `fetch` refuses some ports.
    const { get } = containerUrl.startsWith('https:')
      ? await import('node:https')
      : await import('../../network/http.ts');
    const request = get(`${containerUrl}/health`, { signal: AbortSignal.timeout(2_000) });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response.statusCode === 200 && HealthBody.safeParse(await json(response)).success;
  } catch {
    return false;
  }
}
