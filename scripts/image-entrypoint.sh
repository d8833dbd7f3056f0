#!/bin/sh
# Inside the image: `holdfast container` (the default), `holdfast worker`, `holdfast server`, or any other command as it is.
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
  health)
    # A worker listens nowhere: it has no health to ask for beyond that it runs, and it exits when it cannot go on.
    # PID 1 is tini, with the role as its last argument.
    if ! tr '\0' '\n' </proc/1/cmdline | grep -qx container; then exit 0; fi
    # shellcheck disable=SC2016 # JavaScript
    exec node -e '
      const { HOST: host = "", PORT: port = "8080" } = process.env;
      const any = { "": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]" };
      fetch(`http://${any[host] ?? (host.includes(":") ? `[${host}]` : host)}:${port}/health`, {
        signal: AbortSignal.timeout(4_000),
      }).then(
        (response) => process.exit(response.ok ? 0 : 1),
        (error) => {
          console.error(String(error.cause ?? error));
          process.exit(1);
        },
      );
    '
    ;;
  *)
    exec "$@"
    ;;
esac
