# Tests the pods of deploy/kubernetes/overlays/local with `podman kube play`, and an encode in them. Sourced by
# ../check-image.sh after compose.sh, which provides Temporal's image; reads project, work, image, media; uses say, fail, bud,
# podman, wait_for, is_confined; sets log, origin_pid.

bud tag "$image" localhost/holdfast:local
kustomize=$(node "$project/scripts/setup/tool.mjs" KUSTOMIZE_PATH)
mkdir -p "$work/pod"
log=$work/pod/podman.log
node "$project/scripts/check-image/origin.mjs" "$media/source.wav" "$work/pod/out.mp3" >"$work/pod/origin.port" 9>&- &
origin_pid=$!

# There is no kubelet here: podman ignores Services, NetworkPolicies and disruption budgets. Its pods find each other by
# their own names, and it has neither status.podIP nor ports that stay inside. The server would need a secret with
# users.
cat >"$work/pod/kustomization.yaml" <<YAML
namespace: holdfast
resources: [$(realpath --relative-to="$work/pod" "$project/deploy/kubernetes/overlays/local")]
images: [{ name: holdfast, newName: localhost/holdfast, newTag: local }]
configMapGenerator:
  - { name: holdfast, behavior: merge, literals: ['TEMPORAL_ADDRESS=temporal-pod-0:7233'] }
patches:
  - target: { kind: Deployment, name: server }
    patch: '{ \$patch: delete, apiVersion: apps/v1, kind: Deployment, metadata: { name: server } }'
  - target: { kind: Deployment }
    patch: '- { op: remove, path: /spec/template/spec/containers/0/ports }'
  - target: { kind: Deployment, name: encoder }
    patch: |
      - { op: remove, path: /spec/template/spec/containers/1/ports }
      - { op: remove, path: /spec/template/spec/containers/1/env/0 }
      - { op: replace, path: /spec/template/spec/containers/1/env/0/value, value: 'http://encoder-pod-0:8080' }
      - { op: add, path: /spec/template/spec/containers/0/env/-, value: { name: ALLOW_PRIVATE_ADDRESSES, value: host.containers.internal } }
YAML
"$kustomize" build "$work/pod" >"$work/pod/manifests.yaml" 2>"$log" || fail 'kustomize does not make the manifests.'
# A separate file, because podman 4.3 cannot read a Secret of the manifests that it has stored itself.
printf '{"container-token":"%s"}' "$(printf of-the-check | base64)" | podman secret create holdfast - >"$log"
podman network create pods >>"$log" 2>&1
podman kube play --network pods "$work/pod/manifests.yaml" >>"$log" 2>&1 || fail 'podman kube play does not take the manifests.'
say 'pods: started'

# is_pod_ready <container> <port>
is_pod_ready() {
  podman exec "$1" node -e 'fetch(`http://127.0.0.1:${process.argv[1]}/ready`).then(({ ok }) => process.exit(ok ? 0 : 1))' "$2"
}
wait_for 'readiness of the encoder' is_pod_ready encoder-pod-0-container 8080
for container in encoder-pod-0-container encoder-pod-0-worker workflows-pod-0-worker; do
  is_confined "$container" || fail "$container is not as confined as its manifest says."
done
for worker in encoder-pod-0-worker workflows-pod-0-worker; do wait_for "readiness of $worker" is_pod_ready "$worker" 9464; done
say 'pods: ready, user 1000, read-only, no capabilities'

origin=http://host.containers.internal:$(cat "$work/pod/origin.port")
podman exec temporal-pod-0-temporal temporal workflow start --type encode --task-queue holdfast --workflow-id pod --input \
  "{\"sourceUrl\":\"$origin/source.wav\",\"outputs\":[{\"format\":\"mp3_64\",\"uploadUrl\":\"$origin/out.mp3\"}]}" >>"$log" 2>&1 ||
  fail 'the run could not be started in the pods.'
timeout 120 "$work/bin/podman" exec temporal-pod-0-temporal temporal workflow result --workflow-id pod >>"$log" 2>&1 ||
  fail 'the run in the pods did not end well.'
[[ $(ffprobe -v error -show_entries stream=codec_name -of default=noprint_wrappers=1:nokey=1 "$work/pod/out.mp3") == mp3 ]] ||
  fail 'what the pod stored is no mp3.'
stop_podman "$work"
say 'pods: an encode of a source over HTTP, stored over HTTP'
