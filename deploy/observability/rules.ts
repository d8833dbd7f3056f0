/**
 * Prints the alerting rules as a resource of Prometheus' operator:
 * `node deploy/observability/rules.ts > deploy/kubernetes/components/monitoring/rules.yaml`
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';

export function prometheusRule(): object {
  const spec: object = parse(readFileSync(new URL('alerts.yml', import.meta.url), 'utf8'));
  return { apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata: { name: 'holdfast' }, spec };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log('# Made of deploy/observability/alerts.yml by deploy/observability/rules.ts.');
  process.stdout.write(stringify(prometheusRule(), { lineWidth: 0 }));
}
