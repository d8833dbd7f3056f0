import { request } from 'undici';
import { HealthBody } from '../../contract/http/job.ts';

/** True if a Holdfast container answers at the URL. */
export async function isHealthy(containerUrl: string): Promise<boolean> {
  try {
    const response = await request(`${containerUrl}/health`, { headersTimeout: 2_000, bodyTimeout: 2_000 });
    return response.statusCode === 200 && HealthBody.safeParse(await response.body.json()).success;
  } catch {
    return false;
  }
}
