#!/bin/sh
# Entry point of the image: `holdfast container` (the default), `holdfast worker`, `holdfast server`, a command of the
# command line such as `holdfast runs`, or any other program.
set -eu

case "${1:-container}" in
  container)
    # The flag: containerNodeFlags in contract/defaults.ts.
    exec node --max-semi-space-size=1 /app/container/main.ts
    ;;
  worker)
    exec node /app/worker/main.ts
    ;;
  server)
    exec node /app/server/main.ts
    ;;
  codec-server)
    exec node /app/codec/main.ts
    ;;
  encode | watch | chunk | process | inspect | presets | runs | setup-server | limiter | completion)
    exec node /app/cli/main.ts "$@"
    ;;
  # Options such as `--help`.
  help | -*)
    exec node /app/cli/main.ts "$@"
    ;;
  health)
    # PID 1 is tini, with the role as its last argument.
    case "$(tr '\0' '\n' </proc/1/cmdline | tail -n 1)" in
      # The worker listens nowhere without METRICS_PORT, and exits when it cannot continue.
      worker) port=${METRICS_PORT:-} path=/health host= ;;
      server) port=${SERVER_PORT:-8088} path=/ host=${SERVER_HOST:-127.0.0.1} ;;
      container) port=${PORT:-8080} path=/health host=${HOST:-} ;;
      # Any other command.
      *) port= ;;
    esac
    if [ -z "$port" ]; then exit 0; fi
    case "$host" in
      '' | 0.0.0.0) host=127.0.0.1 ;;
      ::) host='[::1]' ;;
      *:*) host="[$host]" ;;
    esac
    # shellcheck disable=SC2016 # JavaScript
    exec node -e '
      fetch(process.argv[1], { signal: AbortSignal.timeout(4_000) }).then(
        (response) => process.exit(response.ok ? 0 : 1),
        (error) => {
          console.error(String(error.cause ?? error));
          process.exit(1);
        },
      );
    ' "http://$host:$port$path"
    ;;
  *)
    exec "$@"
    ;;
esac
