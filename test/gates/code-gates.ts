import type { Gate } from './gate.ts';

/** Faults in the container, the workflows, the limiter and the network guard. */
export const codeGates: readonly Gate[] = [
  {
    check: 'test/contract/rate/token-bucket.test.ts',
    faults: {
      'contract/rate/token-bucket.ts': [
        ['Math.min(limits.burstLimit, bucket.tokens + gained)', 'bucket.tokens + gained'],
        ['bucket.tokens >= 1 - roundingError', 'bucket.tokens >= 1'],
      ],
    },
  },
  {
    check: 'test/contract/rate/sliding-window.test.ts',
    faults: {
      'contract/rate/sliding-window.ts': [
        ['atMs > nowMs - hourMs', 'atMs >= nowMs - hourMs'],
        ['entry[0] <= nowMs - spanMs', 'entry[0] < nowMs - spanMs'],
        ['Math.ceil(nowMs / 1000)', 'Math.floor(nowMs / 1000)'],
        ['count >= limit', 'count > limit'],
      ],
    },
  },
  {
    check: 'test/workflows/limiter/policy/admission.test.ts',
    faults: {
      'workflows/limiter/policy/admission.ts': [
        ['inUse >= limits.maxConcurrent', 'inUse > limits.maxConcurrent'],
        ['throttledUntilMs > nowMs', 'throttledUntilMs >= nowMs'],
        ['    freeAtMs(window, hourMs, limits.requestsPerHour),\n', ''],
        ['refillPerSecond: requestsPerMinute / 60', 'refillPerSecond: requestsPerMinute / 30'],
      ],
    },
  },
  {
    check: 'test/workflows/limiter/request-queue.test.ts',
    faults: { 'workflows/limiter/request-queue.ts': [['    this.#bytes -= bytes;\n', '']] },
  },
  {
    check: 'test/workflows/limiter/policy/breaker.test.ts',
    faults: {
      'workflows/limiter/policy/breaker.ts': [
        ['failuresInRow >= limits.breakerFailures', 'failuresInRow > limits.breakerFailures'],
        ["      if (outcome === 'rate_limited') return closedBreaker;\n", ''],
        ['breaker.untilMs <= nowMs', 'breaker.untilMs < nowMs'],
        ['return breaker.permitId === undefined', 'return true'],
      ],
    },
  },
  {
    check: 'test/workflows/limiter/policy/rate-limit-error.test.ts',
    faults: {
      'workflows/limiter/policy/rate-limit-error.ts': [
        ['    status === 429 ||\n', ''],
        ['/tokens per day limit exceeded/i', '/tokens per day limit exceeded/'],
        ['Math.max(byText, ', 'Math.min(byText, '],
      ],
    },
  },
  {
    check: 'test/workflows/run/rate-limiting.test.ts',
    faults: {
      'workflows/run/retry-decision.ts': [
        ['Math.max(0, connectionErrors - 1)', 'Math.max(0, connectionErrors)'],
        ['return retryAfter ?? policy.baseDelay;', 'return policy.baseDelay;'],
        ['policy.retryBuffer <= policy.maxRetryTime', 'policy.retryBuffer < policy.maxRetryTime'],
        ['Math.max(1, seconds)', 'seconds'],
      ],
    },
  },
  {
    check: 'test/workflows/run/elapsed.test.ts',
    faults: {
      'workflows/run/elapsed.ts': [
        ['Math.floor(ms / 1000)', 'Math.ceil(ms / 1000)'],
        ['exact - policy.retryBuffer', 'exact'],
      ],
    },
  },
  {
    check: 'test/workflows/replay.test.ts',
    faults: {
      'workflows/run/run.ts': [["patched('usage-in-memo')", 'true']],
      'workflows/run/run-step.ts': [
        ['status.queueAttempt(step.id', 'await sleep(1);\n    status.queueAttempt(step.id'],
      ],
      'workflows/index.ts': [['export { chunking }', 'export { chunking as cutting }']],
    },
  },
  {
    check: 'test/container/jobs/slots.test.ts',
    faults: {
      'container/jobs/slots.ts': [
        ['activeIds.size >= limit', 'activeIds.size > limit'],
        ['if (activeIds.delete(jobId)) changes', 'changes'],
      ],
    },
  },
  {
    check: 'test/container/jobs/registry.test.ts',
    faults: {
      'container/jobs/registry.ts': [
        ['known?.fingerprint !== fingerprint', 'known === undefined'],
        ["      if (isDraining) return { kind: 'draining' };\n", ''],
        ['jobs.get(known.jobId)', 'undefined'],
      ],
    },
  },
  {
    check: 'test/container/http/idempotency.test.ts',
    faults: {
      'container/http/idempotency.ts': [
        ['{1,255}$/', '{1,256}$/'],
        ["createHash('sha256').update(kind)", "createHash('sha256')"],
        ['return stripSignature(inner)', 'return inner'],
      ],
    },
  },
  {
    check: 'test/container/http/authorization.test.ts',
    faults: {
      'container/http/authorization.ts': [
        ['given !== undefined && timingSafeEqual(digest(given), expected)', 'given !== undefined'],
        ["    response.set('WWW-Authenticate', 'Bearer');\n", ''],
      ],
      'container/app.ts': [['  app.use(requireToken(deps.token));\n', '']],
    },
  },
  {
    check: 'test/container/http/host.test.ts',
    faults: {
      'container/http/host.ts': [
        ['if (isAskedAsLoopback(request.headers.host)) return', 'return'],
        [' || token !== undefined', ''],
      ],
    },
  },
  {
    check: 'test/network/address-guard.test.ts',
    faults: {
      'network/address-guard.ts': [
        ["parsed.range() === 'unicast'", "parsed.range() !== 'private'"],
        ["new Set(['168.63.129.16'])", 'new Set<string>()'],
        ['!addresses.every(', '!addresses.some('],
      ],
    },
  },
  {
    check: 'test/network/loopback.test.ts',
    faults: { 'network/loopback.ts': [["bare.endsWith('.localhost')", "bare.endsWith('localhost')"]] },
  },
  {
    check: 'test/engine/spread/plan-spread.test.ts',
    faults: {
      'engine/spread/plan-spread.ts': [
        ['seconds < leastSeconds', 'seconds <= leastSeconds'],
        ['wanted * 1.5', 'wanted * 1.9'],
        ['plan.keyframeSeconds !== undefined', 'plan.keyframeSeconds === undefined'],
      ],
    },
  },
  {
    check: 'test/stores/relay/relay-urls.test.ts',
    faults: { 'stores/relay/relay-urls.ts': [[' || httpMethods[method] !== httpMethod', '']] },
  },
  {
    check: 'test/client/own-signal.test.ts',
    faults: {
      'client/own-signal.ts': [
        ["    signal.removeEventListener('abort', abort);\n", ''],
        ['await work(controller.signal)', 'await work(AbortSignal.any([signal]))'],
      ],
    },
  },
  {
    check: 'test/workflows/limiter/policy/worker-slots.test.ts',
    faults: {
      'worker/slot-reports.ts': [['reportIntervalMs = 60_000', 'reportIntervalMs = 600_000']],
    },
  },
  {
    check: 'test/worker/shutdown-times.test.ts',
    faults: {
      'worker/shutdown-times.ts': [['${graceSeconds + forceAfterSeconds}s', '${forceAfterSeconds}s']],
    },
  },
  {
    check: 'test/container/jobs/scratch.test.ts',
    faults: {
      'container/jobs/scratch.ts': [['(pid !== process.pid && isAlive(pid))', 'isAlive(pid)']],
    },
  },
  {
    check: 'test/container/jobs/metrics.test.ts',
    faults: {
      'container/jobs/metrics.ts': [
        [
          "if (end.state !== 'succeeded') failures.inc({ code: end.error.code });\n      else for",
          "if (end.state === 'failed') failures.inc({ code: end.error.code });\n      else if (end.state === 'succeeded') for",
        ],
      ],
    },
  },
  {
    check: 'test/container/http/service.test.ts',
    faults: { 'container/app.ts': [['(?:health|ready|metrics|slot)', '(?:health|ready|slot)']] },
  },
  {
    check: 'test/server/http/ready.test.ts',
    faults: { 'server/http/ready-routes.ts': [['answerTimeoutMs = 2_000', 'answerTimeoutMs = 20_000']] },
  },
  {
    check: 'test/server/metrics/server-metrics.test.ts',
    faults: {
      'server/metrics/server-metrics.ts': [
        ['for (const gauge of limiterGauges) gauge.reset();', 'void limiterGauges;'],
      ],
    },
  },
  {
    check: 'test/server/webhooks/count-messages.test.ts',
    faults: { 'server/webhooks/count-messages.ts': [['lateMs = 3_600_000', 'lateMs = 36_000_000']] },
  },
  {
    check: 'test/server/access/callers.slow.test.ts',
    faults: {
      'server/http/metrics-routes.ts': [["authorize(request, 'operate')", "authorize(request, 'read')"]],
      'server/http/openapi.ts': [
        [
          "'The run is being cancelled.', 'RunView'], {\n      status: '202',",
          "'The run is being cancelled.', 'RunView'], {\n      status: '200',",
        ],
      ],
    },
  },
  {
    check: 'test/end-to-end/search-attributes.slow.test.ts',
    faults: { 'cli/commands/setup-server.ts': [['return mistyped.length > 0 ? 1 : 0;', 'return 0;']] },
  },
  {
    check: 'test/worker/service.test.ts',
    faults: {
      'worker/service.ts': [
        ["states.includes('INITIALIZED')) return 'starting'", "states.includes('INITIALIZED')) return undefined"],
      ],
    },
  },
];
