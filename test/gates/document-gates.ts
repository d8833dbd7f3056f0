import type { Gate } from './gate.ts';

/** Faults in documents, tables, API descriptions and prose. */
export const documentGates: readonly Gate[] = [
  {
    check: 'test/documents.test.ts',
    faults: {
      'container/config.ts': [
        ['PORT: ListenPortSetting.default(8080)', 'PORT: ListenPortSetting.default(8081)'],
        [
          'RETRY_AFTER_SECONDS: wholeNumber(1, 3600).default(10)',
          'RETRY_AFTER_SECONDS: wholeNumber(1, 3600).default(15)',
        ],
        ['STALL_TIMEOUT_SECONDS: TimerSeconds', 'STALLED_TIMEOUT_SECONDS: TimerSeconds'],
      ],
      'worker/environment.ts': [['.default(43_200)', '.default(3_600)']],
      'server/config.ts': [
        ["SERVER_HOST: z.string().min(1).default('127.0.0.1')", "SERVER_HOST: z.string().min(1).default('0.0.0.0')"],
      ],
      'contract/error-codes.ts': [
        ['source_too_long: 413,', 'source_too_long: 422,'],
        [
          '/** HTTP status of each error code (docs/reference/errors.md). */',
          '/** HTTP status of each error code (docs/errors.md). */',
        ],
      ],
      'contract/loudness.ts': [['podcast: { integrated: -16,', 'podcast: { integrated: -18,']],
      'docs/reference/retries.md': [['| `retryBuffer`  | 30 s', '| `retryBuffer`  | 60 s']],
      'docs/image.md': [['[compose.yaml](../compose.yaml)', '[compose.yaml](../docker-compose.yaml)']],
      'ARCHITECTURE.md': [
        [
          '`container/http/submit.ts`, `container/jobs/registry.ts`',
          '`container/http/admit.ts`, `container/jobs/registry.ts`',
        ],
      ],
    },
  },
  {
    check: 'test/cli/program.test.ts',
    faults: { 'docs/cli.md': [['`--overwrite`, `--skip-existing`', '`--overwrite`, `--skip-present`']] },
  },
  {
    check: 'test/server/http/openapi.test.ts',
    faults: {
      'server/http/openapi.ts': [
        ["  in: 'header',\n  required: true,", "  in: 'header',\n  required: false,"],
        ["answers the server',\n      security: [{}],", "answers the server',"],
        ["'/api/scale': {", "'/api/scaling': {"],
        [
          "'/api/limiters/{provider}/{model}/resume': limiterChange",
          "'/api/limiters/{provider}/resume': limiterChange",
        ],
      ],
      'contract/server/problem.ts': [['link_expired: { status: 410,', 'link_expired: { status: 404,']],
    },
  },
  {
    check: 'test/container/http/openapi.test.ts',
    faults: {
      'container/http/endpoints.ts': [["  'GET /slot',\n", '']],
      'container/http/openapi.ts': [
        ["    '/ready': {", "    '/readyz': {"],
        ['minLength: 1, maxLength: 255', 'minLength: 1, maxLength: 100'],
        [
          'failures(of: (code: ErrorCode) => boolean) {',
          "failures(_of: (code: ErrorCode) => boolean) {\n  const of = (code: ErrorCode) => code !== 'cancelled' && _of(code);",
        ],
      ],
    },
  },
  {
    check: 'test/deploy/operator-documents.test.ts',
    faults: {
      'docs/temporal-cloud.md': [['HoldfastWaitUntil=Datetime', 'HoldfastWaitUntil=Keyword']],
      'docs/deploys.md': [
        ['| `webhooks`  |', '| `webhook`   |'],
        ['deployment set-current-version --deployment-name', 'deployment set-current --deployment-name'],
      ],
      'docs/observability.md': [
        ['- job_name: holdfast-worker\n', '- job_name: worker\n'],
        ['| `runs`    | 99 %', '| `runs`    | 95 %'],
        ['such as `run.cancel`', 'such as `run.stop`'],
      ],
      'docs/kubernetes.md': [['--from-literal=container-token=', '--from-literal=token=']],
      'docs/disaster-recovery.md': [['.action == "run.rerun"', '.action == "run.repeat"']],
    },
  },
  {
    check: 'test/scripts/release.test.ts',
    faults: {
      '.github/workflows/release.yml': [
        ['runs-on: ${{ matrix.runner }}', 'runs-on: ${{ matrix.machine }}'],
        ['sigstore/cosign-installer@6f9f17788090df1f26f669e9d70d6ae9567deba6', 'sigstore/cosign-installer@v4.1.2'],
        ['--status success', '--status completed'],
        ['contents: read, packages: write }\n    outputs', 'contents: read }\n    outputs'],
        ['            cosign sign --yes --recursive "$2@$digest"\n', ''],
        ['steps.digests.outputs.vmaf-arm64', 'steps.digests.outputs.vmaf-amd64'],
        ['"$VMAF_AMD64" "$VMAF_ARM64"', '"$VMAF_AMD64" "$VMAF_AMD64"'],
        ['VMAF: ${{ steps.vmaf', 'VMAF: ${{ steps.build'],
        ['runner: ubuntu-24.04-arm', 'runner: ubuntu-24.04'],
        ['"$bom" "$2@$digest"', '"$bom" "$2@$4"'],
      ],
      '.github/workflows/ci.yml': [
        ['- run: .ci/run', '- run: npm test'],
        ['timeout-minutes: 95', 'timeout-minutes: 60'],
        ['push: { branches: [main] }', 'push: { branches: [master] }'],
        ['      options: --privileged\n', ''],
      ],
      'scripts/release-notes.mjs': [['text.startsWith(`[${version}]`)', 'text.startsWith(`[${version}`)']],
      'api-client/package.json': [['"version": "0.2.0"', '"version": "0.1.0"']],
    },
  },
  {
    check: 'test/scripts/ci-run.test.ts',
    faults: {
      '.ci/run': [
        ['process.exit(sum.failed > 0 ? 1 : 0)', 'process.exit(0)'],
        ['run_check check:image\n', ''],
        ['    77) outcome=skipped ;;\n', '    77) outcome=passed ;;\n'],
        ['sum.failed += failures.length + 1;', 'sum.failed += failures.length;'],
      ],
    },
  },
  {
    check: 'node scripts/check-prose.mjs',
    faults: {
      'test/deploy/compose.test.ts': [["test('no two services publish", "test('and no two services publish"]],
    },
  },
  {
    check: 'tsc',
    faults: {
      'contract/server/queue.ts': [['  wanted: z.number().int(),', '  desired: z.number().int(),']],
      'contract/task-queues.ts': [['containerTaskQueue(taskQueue: string)', 'containersTaskQueue(taskQueue: string)']],
    },
  },
  {
    // The copy has a link to the npm packages, so the bundle names them by other paths.
    check: "vitest run test/architecture.test.ts -t 'the import'",
    faults: {
      'engine/media-error.ts': [
        ['export class MediaError', "import '../container/errors.ts';\nexport class MediaError"],
      ],
      'workflows/run/elapsed.ts': [['export const noTime', "import 'node:os';\nexport const noTime"]],
    },
  },
];
