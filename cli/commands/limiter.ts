import { changeLimiter } from '../../client/limiter/change-limiter.ts';
import { buildRunUrl } from '../../client/run-url.ts';
import type { LimitsOverride } from '../../contract/limiter.ts';
import { formatLimiter } from '../limiter/format-limiter.ts';
import type { Settings } from '../settings.ts';
import { withTemporal } from '../stack/running-temporal.ts';

export interface LimiterOptions {
  json: boolean;
  /** Seconds. */
  throttle?: number;
  reason?: string;
  resume: boolean;
  set?: LimitsOverride;
  environment?: string;
}

/** Applies the options' changes to a limiter, then shows it. */
export async function limiter(key: string, options: LimiterOptions, settings: Settings): Promise<number> {
  const { throttle: seconds, reason = 'operator override' } = options;
  return await withTemporal(settings, 'limiter', async (client, { uiUrl, namespace }) => {
    const { LimiterHandle } = await import('../../client/limiter/limiter-handle.ts');
    const handle = new LimiterHandle(client, options.environment ?? settings.limiterEnvironment, key);
    const runId = await handle.runId();
    const details = await changeLimiter(handle, {
      limits: options.set,
      throttle: seconds === undefined ? undefined : { seconds, reason },
      resume: options.resume,
    });
    if (options.json) {
      process.stdout.write(`${JSON.stringify(details.stats, null, 2)}\n`);
      return 0;
    }
    const address = uiUrl === undefined ? '' : `\n${buildRunUrl(uiUrl, namespace, handle.workflowId, runId)}\n`;
    process.stdout.write(`${formatLimiter(handle, details, new Date())}\n${address}`);
    return 0;
  });
}
