import type { GateDetails, LimitsByHand } from '../../contract/limiter.ts';
import { CliError } from '../cli-error.ts';
import { GateHandle } from '../limiter/limiter-handle.ts';
import { gateReport } from '../limiter/limiter-report.ts';
import type { Settings } from '../settings.ts';
import { openRunningTemporal } from '../stack/running-temporal.ts';
import { runUrl } from '../stack/web-ui.ts';

export interface GateOptions {
  json: boolean;
  /** seconds */
  throttle?: number;
  reason?: string;
  resume: boolean;
  set?: LimitsByHand;
  environment?: string;
}

/** Looks at a gate, after having changed it where that is asked for. */
export async function gate(key: string, options: GateOptions, settings: Settings): Promise<number> {
  const temporal = await openRunningTemporal(settings, 'gate');
  try {
    const { clientOf } = await import('../temporal.ts');
    const client = clientOf(temporal.connection, temporal.namespace);
    const handle = new GateHandle(client, options.environment ?? settings.gateEnvironment, key);
    const runId = await handle.runId();
    const details = await changed(handle, options, await handle.details());
    if (options.json) {
      process.stdout.write(`${JSON.stringify(details.stats, null, 2)}\n`);
      return 0;
    }
    const { uiUrl, namespace } = temporal;
    const address = uiUrl === undefined ? '' : `\n${runUrl(uiUrl, namespace, handle.workflowId, runId)}\n`;
    process.stdout.write(`${gateReport(handle, details, new Date())}\n${address}`);
    return 0;
  } finally {
    await temporal.close();
  }
}

/** Does what the options say, each when the one before can be seen. */
async function changed(
  handle: GateHandle,
  { set, throttle: seconds, reason = 'by hand', resume }: GateOptions,
  before: GateDetails,
): Promise<GateDetails> {
  let details = before;
  if (set !== undefined) {
    assertCallsFit(set, before);
    await handle.setLimits(set);
    const wanted = Object.entries(set) as [keyof LimitsByHand, number | null][];
    details = await handle.untilShown(({ byHand }) =>
      wanted.every(([name, value]) => (byHand[name] ?? null) === value),
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
function assertCallsFit({ permitSeconds }: LimitsByHand, { settings }: GateDetails): void {
  const least = settings.permitSeconds;
  if (permitSeconds === undefined || permitSeconds === null || permitSeconds >= least) return;
  throw new CliError(
    `permitSeconds by hand must be at least ${least}, as the worker's settings have it: a call must fit into its permit.`,
  );
}
