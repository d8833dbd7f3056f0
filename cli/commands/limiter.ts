import type { LimiterDetails, LimitsOverride } from '../../contract/limiter.ts';
import { CliError } from '../cli-error.ts';
import { LimiterHandle } from '../limiter/limiter-handle.ts';
import { limiterReport } from '../limiter/limiter-report.ts';
import type { Settings } from '../settings.ts';
import { openRunningTemporal } from '../stack/running-temporal.ts';
import { runUrl } from '../stack/web-ui.ts';

export interface LimiterOptions {
  json: boolean;
  /** seconds */
  throttle?: number;
  reason?: string;
  resume: boolean;
  set?: LimitsOverride;
  environment?: string;
}

/** Looks at a limiter, after having changed it where that is asked for. */
export async function limiter(key: string, options: LimiterOptions, settings: Settings): Promise<number> {
  const temporal = await openRunningTemporal(settings, 'limiter');
  try {
    const { clientOf } = await import('../temporal.ts');
    const client = clientOf(temporal.connection, temporal.namespace);
    const handle = new LimiterHandle(client, options.environment ?? settings.limiterEnvironment, key);
    const runId = await handle.runId();
    const details = await changed(handle, options, await handle.details());
    if (options.json) {
      process.stdout.write(`${JSON.stringify(details.stats, null, 2)}\n`);
      return 0;
    }
    const { uiUrl, namespace } = temporal;
    const address = uiUrl === undefined ? '' : `\n${runUrl(uiUrl, namespace, handle.workflowId, runId)}\n`;
    process.stdout.write(`${limiterReport(handle, details, new Date())}\n${address}`);
    return 0;
  } finally {
    await temporal.close();
  }
}

/** Does what the options say, each when the one before can be seen. */
async function changed(
  handle: LimiterHandle,
  { set, throttle: seconds, reason = 'by hand', resume }: LimiterOptions,
  before: LimiterDetails,
): Promise<LimiterDetails> {
  let details = before;
  if (set !== undefined) {
    assertCallsFit(set, before);
    await handle.setLimits(set);
    const wanted = Object.entries(set) as [keyof LimitsOverride, number | null][];
    details = await handle.untilShown(({ override }) =>
      wanted.every(([name, value]) => (override[name] ?? null) === value),
    );
  }
  const untilBefore = before.stats.throttle_until;
  if (seconds !== undefined) {
    const overAtMs = Date.now() + seconds * 1000;
    await handle.throttle({ seconds, reason });
    details = await handle.untilShown(
      ({ stats }) => (stats.throttled && stats.throttle_until !== untilBefore) || Date.now() >= overAtMs,
    );
  }
  if (resume) {
    const openUntilBefore = before.breaker.until;
    await handle.resume();
    details = await handle.untilShown(
      ({ stats, breaker }) =>
        // One that has begun since is another one.
        (!stats.throttled || stats.throttle_until !== untilBefore) &&
        (breaker.state === 'closed' || breaker.until !== openUntilBefore),
    );
  }
  return details;
}

/** A permit that is over before its call may begin would go round in circles. */
function assertCallsFit({ permitSeconds }: LimitsOverride, { settings }: LimiterDetails): void {
  const least = settings.permitSeconds;
  if (permitSeconds === undefined || permitSeconds === null || permitSeconds >= least) return;
  throw new CliError(
    `permitSeconds by hand must be at least ${least}, as the worker's settings have it: a call must fit into its permit.`,
  );
}
