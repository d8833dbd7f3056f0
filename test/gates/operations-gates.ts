import type { Gate } from './gate.ts';

/** Faults in compose.yaml, the Dockerfile, alerting rules and the dashboard. */
export const operationsGates: readonly Gate[] = [
  {
    check: 'test/deploy/compose.test.ts',
    faults: {
      'compose.yaml': [
        [
          'CONTAINER_URLS: http://container-1:8080,http://container-2:8080',
          'CONTAINER_URLS: http://container-1:8080,http://container-2:8081',
        ],
        ['CONTAINER_URLS: http://container-1:8080,http://container-2:8080', 'CONTAINER_URLS: http://container-1:8080'],
        ["'127.0.0.1:8081:8080'", "'127.0.0.1:8081:8081'"],
        ["'127.0.0.1:8081:8080'", "'8081:8080'"],
        ["'127.0.0.1:8081:8080'", "'127.0.0.1:8080:8080'"],
        ['  cap_drop: [ALL]\n  security_opt', '  security_opt'],
        ['  read_only: true\n  cap_drop: [ALL]\n  security_opt', '  cap_drop: [ALL]\n  security_opt'],
        ["'scratch-2:/scratch'", "'scratch-1:/scratch'"],
        ['MEDIA_ROOT: /media\n  #', 'MEDIA_ROOT: /medias\n  #'],
        ['  stop_grace_period: 45s\n  # This is', '  stop_grace_period: 30s\n  # This is'],
        ['HoldfastFormats=KeywordList', 'HoldfastFormats=Keyword'],
        ['numTaskqueueReadPartitions=1', 'numTaskqueueReadPartitions=4'],
        ['temporalio/temporal:1.5.1', 'temporalio/temporal:latest'],
        ['PRESIGN_EXPIRES_SECONDS:', 'PRESIGNED_SECONDS:'],
        ['container-2: { condition: service_healthy }', 'container-2: { condition: service_started }'],
        ['  mem_limit: ${CONTAINER_MEMORY:-2g}\n', ''],
        ['      CONTAINER_TOKEN:\n      LOCAL_PROVIDER_URL', '      LOCAL_PROVIDER_URL'],
        ['      SERVER_LINK_KEY:\n', ''],
        ['[CMD, temporal, operator, cluster, health]', '[CMD, temporal, cluster, health]'],
      ],
      'deploy/observability/compose/prometheus.yml': [
        ['scrape_interval: 15s', 'scrape_interval: 10m'],
        ["['worker:9464']", "['worker:9090']"],
      ],
    },
  },
  {
    check: 'test/scripts/image.test.ts',
    faults: {
      Dockerfile: [
        ['COPY server ./server\n', ''],
        ['COPY client ./client\n', ''],
        ['COPY engine ./engine\n', ''],
        [
          'COPY scripts/image-sbom.mjs scripts/npm-folders.mjs scripts/npm-license.mjs scripts/python-packages.mjs /tmp/\nRUN node /tmp/image-sbom.mjs holdfast ',
          'COPY scripts/sbom.mjs /tmp/\nRUN node /tmp/image-sbom.mjs holdfast ',
        ],
        ['SCRATCH_DIR=/scratch', 'SCRATCH_DIR=/tmp'],
        ['=/app/bundle/workflows.js', '=/app/bundle/workflow.js'],
        ['VMAF_FFMPEG_PATH=/usr/local/bin/vmaf-ffmpeg\nUSER 1000:1000', 'VMAF_FFMPEG_PATH=/usr/local/bin/vmaf-ffmpeg'],
        ['npm ci --omit=dev', 'npm install --omit=dev'],
        ['"--", "/usr/local/bin/holdfast"', '"-s", "--", "/usr/local/bin/holdfast"'],
        ['find / -xdev -type f -perm /6000 -exec chmod a-s {} + \\\n # A volume', 'true \\\n # A volume'],
        ['LICENSE transcriber/*.py ./', 'LICENSE transcriber/server.py ./'],
        ['HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD', '# CMD'],
      ],
      '.dockerignore': [['!stores\n', '']],
      'scripts/image-entrypoint.sh': [
        ['${METRICS_PORT:-}', '${METRIC_PORT:-}'],
        ['--max-semi-space-size=1', '--max-semi-space-size=16'],
        [' | limiter | completion)', ' | limiter)'],
        ['${SERVER_PORT:-8088}', '${SERVER_PORT:-8080}'],
        ['${SERVER_PORT:-8088} path=/ ', '${SERVER_PORT:-8088} path=/health '],
        ['exec node /app/worker/main.ts', 'node /app/worker/main.ts'],
      ],
    },
  },
  {
    check: 'test/deploy/observability/rules.slow.test.ts',
    faults: {
      'deploy/observability/alerts.yml': [
        ['up{job=~"holdfast.*"} == 0 unless', 'up{job=~"holdfast.*"} == 1 unless'],
        ['[15m]) == 1\n        for: 5m', '[15m]) == 1\n        for: 5h'],
        ['max(holdfast_queue_workers) == 0', 'max(holdfast_queue_workers) < 0'],
        ['max(holdfast_queue_oldest_seconds) > 3600', 'max(holdfast_queue_oldest_seconds) > 36000'],
        ['holdfast:job_failures:ratio30m > 0.1', 'holdfast:job_failures:ratio30m > 0.9'],
        ['min by (key) (holdfast_limiter_up) == 0', 'min(holdfast_limiter_up) == 0'],
        [
          'min by (instance) (holdfast_scratch_free_bytes) < 5e9',
          'min by (instance) (holdfast_scratch_free_bytes) < 5e6',
        ],
        ['result!="delivered"', 'result="given_up"'],
        ['result!="delivered"', 'result="failed"'],
        ['> 14.4 * holdfast:slo_budget:ratio and', '> 144 * holdfast:slo_budget:ratio and'],
        ['#holdfastwebhooksdead', '#holdfastwebhooks'],
        ['le="300000"}[6h])', 'le="3000"}[6h])'],
        ['internal|ffmpeg_failed|output_invalid', 'internal|ffmpeg_failed'],
        ['worker_type=~"ActivityWorker|WorkflowWorker"', 'worker_type=~"ActivityWorker"'],
        ['max by (key) (holdfast_limiter_throttled) == 1 or max', 'max'],
        ['sum(holdfast_slots) > sum', 'sum(holdfast_slots) >= sum'],
        ['{end!="cancelled"}[1h])) > 0.1', '{end!="canceled"}[1h])) > 0.1'],
        ['ratio_rate6h > 6 *', 'ratio_rate6h > 60 *'],
      ],
      'deploy/observability/dashboard.ts': [
        ['sum(holdfast_active_jobs) / sum(holdfast_slots)', 'sum(holdfast_active_jobs) / (sum(holdfast_slots)'],
      ],
      'deploy/observability/dashboard.json': [['"Longest wait"', '"Longest time"']],
      'docs/observability.md': [['HoldfastLimiterSilent', 'HoldfastLimiterQuiet']],
    },
  },
  {
    // Without the comparison of the dashboard's file with its source, which finds each of these faults.
    check: "vitest run test/deploy/observability/rules.slow.test.ts -t 'panel'",
    faults: {
      'deploy/observability/dashboard.ts': [
        ['sum by (le, phase) (rate(holdfast_job_phase', 'sum by (phase) (rate(holdfast_job_phase'],
        ["'1 - min by (key) (holdfast_limiter_up)'", "'min by (key) (holdfast_limiter_up)'"],
        ["'Wait for a container, 95 %', 'ms'", "'Wait for a container, 95 %', 's'"],
      ],
    },
  },
  {
    check: 'test/deploy/observability/observability.slow.test.ts',
    faults: {
      'deploy/observability/alerts.yml': [['max(holdfast_webhooks_late)', 'max(holdfast_webhooks_delayed)']],
      'docs/observability.md': [['| `holdfast_queue_busy` ', '| `holdfast_queue_running` ']],
    },
  },
];
