import { Runtime } from '@temporalio/worker';
import { workflowCounters, workflowSeries } from '../contract/workflow-metrics.ts';
import type { WorkerConfig } from './config.ts';

/** Every series of the workflows with 0: of one that comes with its first event, that event is lost to `rate()`. */
export function zeroCounters({
  namespace,
  taskQueue,
  providers,
}: Pick<WorkerConfig, 'namespace' | 'taskQueue' | 'providers'>): void {
  const meter = Runtime.instance().metricMeter;
  for (const { name, workflowType, tags } of workflowSeries([...providers.keys()])) {
    // As the SDK names them where a workflow counts.
    const counter = meter.withTags({ namespace, taskQueue, workflowType });
    counter.createCounter(name, undefined, workflowCounters[name]).add(0, tags);
  }
}
