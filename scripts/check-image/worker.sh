# Tests the image's worker role: its bundle, its health without Temporal, and its messages. Sourced by
# ../check-image.sh; reads work; uses say, fail, start_role, wait_until_healthy, free_port; sets log, role_variables,
# role_outer, role_pid, silent_pid.

# There is no Temporal here. A replay without a history proves that the bundle and Temporal's native bridge load.
say 'worker: loading the workflow bundle'
role_variables=()
log=$work/bundle.log
start_role -- node --input-type=module --eval '
  const { Worker } = await import("/app/node_modules/@temporalio/worker/lib/index.js").then((module) => module.default ?? module);
  const results = Worker.runReplayHistories({ workflowBundle: { codePath: process.env.WORKFLOW_BUNDLE } }, []);
  for await (const result of results) console.log(result);
  console.log("bundle loaded");
'
status=0
wait "$role_outer" || status=$?
role_outer='' role_pid=''
if ((status != 0)) || ! grep -q 'bundle loaded' "$log"; then fail 'the workflow bundle does not load.'; fi

# A server that accepts connections and never answers keeps the worker in its start, where it is healthy. A closed port
# ends it at once.
silent_port=$(free_port)
nowhere=127.0.0.1:$silent_port
node -e 'require("node:net").createServer((socket) => socket.on("error", () => {})).listen(process.argv[1], "127.0.0.1")' \
  "$silent_port" &
silent_pid=$!
role_variables=("TEMPORAL_ADDRESS=$nowhere" CONTAINER_URLS=http://127.0.0.1:1 "METRICS_PORT=$(free_port)")
log=$work/worker.log
start_role "${role_variables[@]}" -- worker
wait_until_healthy worker
kill "$silent_pid"
silent_pid=
for _ in {1..300}; do
  if ! kill -0 "$role_outer" 2>/dev/null || grep -q "$nowhere" "$log"; then break; fi
  sleep 0.1
done
grep -q "$nowhere" "$log" || fail "the worker does not say that it cannot reach Temporal at $nowhere."
if kill -0 "$role_outer" 2>/dev/null; then
  kill -TERM "$role_pid" 2>/dev/null || true
fi
wait "$role_outer" || true
role_outer='' role_pid=''
say "worker: $(grep "$nowhere" "$log" | head -n 1 | sed -E 's/.*"msg":"(.*)".*/\1/' | cut -c1-200)"
