import { Runtime } from '@temporalio/worker';
import { workflowCounters, workflowSeries } from '../contract/workflow-metrics.ts';
import type { WorkerConfig } from './config.ts';

/** Creates every series of the workflows with 0: `rate()` loses the first event of a series that appears with it. */
export function zeroCounters({
  namespace,
  taskQueue,
  providers,
}: Pick<WorkerConfig, 'namespace' | 'taskQueue' | 'providers'>): void {
  const meter = Runtime.instance().metricMeter;
  for (const { name, workflowType, tags } of workflowSeries([...providers.keys()])) {
    // The SDK uses these tags when a workflow counts.
    const counter = meter.withTags({ namespace, taskQueue, workflowType });
    counter.createCounter(name, undefined, workflowCounters[name]).add(0, tags);
  }
}
