import { expect, test } from 'vitest';
import { withPrometheusLabels } from '../../worker/telemetry.ts';

test('labels of workflow counters follow Prometheus’ style, and values stay', () => {
  const line = (queue: string, type: string): string =>
    `holdfast_run_ends_total{end="a,taskQueue=\\"b",namespace="n",${queue}="taskQueue",${type}="x"} 1`;
  expect(withPrometheusLabels(line('taskQueue', 'workflowType'))).toBe(line('task_queue', 'workflow_type'));
});
