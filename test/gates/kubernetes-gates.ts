import type { Gate } from './gate.ts';

const base = 'deploy/kubernetes/base';
const keda = 'deploy/kubernetes/components/keda';
const relay = 'deploy/kubernetes/components/relay';
const local = 'deploy/kubernetes/overlays/local';

/** Faults in the manifests of Kubernetes. */
export const kubernetesGates: readonly Gate[] = [
  {
    check: 'test/deploy/kubernetes/wiring.test.ts',
    faults: {
      [`${base}/encoder.yaml`]: [
        [
          'readinessProbe: { httpGet: { path: /ready, port: http }',
          'readinessProbe: { httpGet: { path: /ready, port: htpp }',
        ],
        [
          'readinessProbe: { httpGet: { path: /ready, port: http }',
          'readinessProbe: { httpGet: { path: /readyz, port: http }',
        ],
        [
          'readinessProbe: { httpGet: { path: /ready, port: http }',
          'readinessProbe: { httpGet: { path: /health, port: http }',
        ],
        ["'http://$(POD_IP):8080'", "'http://$(POD_IP):8081'"],
        ["'http://$(POD_IP):8080'", "'http://$(PODIP):8080'"],
        ["'http://$(POD_IP):8080'", "'http://localhost:8080'"],
        ['containerPort: 8080', 'containerPort: 8000'],
        [
          'volumeMounts: [{ name: worker-scratch, mountPath: /scratch }]',
          'volumeMounts: [{ name: worker-scratch, mountPath: /tmp }]',
        ],
        ['        - { name: worker-scratch, emptyDir', '        - { name: workers-scratch, emptyDir'],
        [
          '          labelSelector: { matchLabels: { app.kubernetes.io/name: encoder } }',
          '          labelSelector: { matchLabels: { app.kubernetes.io/name: encoders } }',
        ],
        ['topologyKey: kubernetes.io/hostname', 'topologyKey: kubernetes.io/zone'],
        ['- { name: WORKER_ROLES, value: container }', '- { name: WORKER_ROLES, value: workflows }'],
      ],
      [`${base}/workflows.yaml`]: [
        ["{ name: METRICS_PORT, value: '9464' }", "{ name: METRICS_PORT, value: '9465' }"],
        ["'workflows,provider,webhooks'", "'workflows,provider'"],
        [
          'livenessProbe:\n            { httpGet: { path: /health,',
          'livenessProbe:\n            { httpGet: { path: /ready,',
        ],
        ['      topologySpreadConstraints:\n', '      tolerations: []\n      removedConstraints:\n'],
        ['- configMapRef: { name: holdfast }', '- configMapRef: { name: holdfasts }'],
        ['name: holdfast, key: container-token', 'name: holdfast, key: token'],
      ],
      [`${base}/server.yaml`]: [
        ['          startupProbe: { httpGet: { path: /, port: http }, failureThreshold: 60, periodSeconds: 1 }\n', ''],
        [
          '          livenessProbe: { httpGet: { path: /, port: http }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }\n',
          '',
        ],
        [
          '          readinessProbe:\n            { httpGet: { path: /ready, port: http }, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 6 }\n',
          '',
        ],
        ['{ httpGet: { path: /ready,', '{ httpGet: { path: /,'],
        ['      topologySpreadConstraints:\n', '      tolerations: []\n      removedConstraints:\n'],
        ['port: 8088, targetPort: http', 'port: 8088, targetPort: web'],
        ['port: 8088, targetPort: http', 'port: 80, targetPort: http'],
        ['  selector: { app.kubernetes.io/name: server }', '  selector: { app.kubernetes.io/name: servers }'],
        ['SERVER_HOST, value: 0.0.0.0', 'SERVER_HOST, value: 127.0.0.1'],
        ['value: /run/holdfast/tokens.json', 'value: /run/holdfast/users.json'],
        ['containerPort: 8088', 'containerPort: 8080'],
      ],
      [`${base}/disruption.yaml`]: [
        [
          '{ matchLabels: { app.kubernetes.io/name: encoder } }',
          '{ matchLabels: { app.kubernetes.io/name: encoders } }',
        ],
        [
          '{ matchLabels: { app.kubernetes.io/name: workflows } }',
          '{ matchLabels: { app.kubernetes.io/part-of: holdfast } }',
        ],
      ],
      [`${base}/network.yaml`]: [
        ['ports: [{ port: 7233 }]', 'ports: [{ port: 7333 }]'],
        ['ports: [{ port: 4318 }]', 'ports: [{ port: 4317 }]'],
        ['{ port: 53, protocol: UDP }, ', ''],
        ['{ port: 443 }, { port: 80 }', '{ port: 443 }, { port: 8443 }'],
        ['{ port: 8080 }, { port: 8088 }, { port: 9464 }', '{ port: 8080 }, { port: 8088 }'],
        [
          '{ port: 8080 }, { port: 8088 }, { port: 9464 }',
          '{ port: 8080 }, { port: 8088 }, { port: 9464 }, { port: 22 }',
        ],
        ['        - podSelector: { matchLabels: { app.kubernetes.io/name: workflows } }\n', ''],
        [
          '      ports: [{ port: 8080 }]\n    # Stores, providers',
          '      ports: [{ port: 8081 }]\n    # Stores, providers',
        ],
        ['kubernetes.io/metadata.name: keda', 'kubernetes.io/metadata.name: keda-system'],
        ['      ports: [{ port: 8088 }]\n  egress:\n', '  egress:\n'],
        [
          "169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16]\n        - ipBlock: { cidr: '::/0', except: ['fc00::/7', 'fe80::/10'] }\n      ports: [{ port: 443 }, { port: 80 }]",
          "172.16.0.0/12, 192.168.0.0/16]\n        - ipBlock: { cidr: '::/0', except: ['fc00::/7', 'fe80::/10'] }\n      ports: [{ port: 443 }, { port: 80 }]",
        ],
        [
          '{ name: names-and-temporal }\nspec:\n  podSelector: {}',
          '{ name: names-and-temporal }\nspec:\n  podSelector: { matchLabels: { none: none } }',
        ],
      ],
      [`${base}/kustomization.yaml`]: [
        ['TEMPORAL_TASK_QUEUE=holdfast', 'TEMPORAL_TASK_QUEUE=encodes'],
        ['  - network.yaml\n', ''],
        ['  - disruption.yaml\n', ''],
      ],
      [`${keda}/scaled-object.yaml`]: [
        ['http://server.holdfast.svc:8088/api/scale', 'http://server.holdfast.svc:8080/api/scale'],
        ['http://server.holdfast.svc:8088/api/scale', 'http://server.holdfast.svc:8088/api/scales'],
        ['http://server.holdfast.svc:8088/api/scale', 'http://servers.holdfast.svc:8088/api/scale'],
        ['http://server.holdfast.svc:8088/api/scale', 'http://server.holdfast.svc:8088/api/queue'],
        ['valueLocation: wanted', 'valueLocation: want'],
        ['taskQueue: holdfast-container', 'taskQueue: holdfast-containers'],
        ['endpoint: temporal-frontend.temporal.svc:7233', 'endpoint: temporal-frontend.temporal.svc:7234'],
        ['namespace: default', 'namespace: holdfast'],
        ['queueTypes: activity', 'queueTypes: workflow'],
        ['authenticationRef: { name: holdfast-scaler }', 'authenticationRef: { name: holdfast-scale }'],
        ['authMode: bearer', 'authMode: apiKey'],
        ['scaleTargetRef: { name: encoder }', 'scaleTargetRef: { name: encoders }'],
      ],
      [`${keda}/kustomization.yaml`]: [
        ['op: remove, path: /spec/replicas', 'op: replace, path: /spec/replicas, value: 3'],
      ],
      [`${relay}/kustomization.yaml`]: [
        ["RELAY_PORT, value: '8090'", "RELAY_PORT, value: '8091'"],
        ["ALLOW_PRIVATE_ADDRESSES, value: 'relay:8090'", "ALLOW_PRIVATE_ADDRESSES, value: 'relay:8091'"],
      ],
      [`${relay}/relay.yaml`]: [
        ['targetPort: relay', 'targetPort: metrics'],
        [
          'from: [{ podSelector: { matchLabels: { app.kubernetes.io/name: encoder',
          'from: [{ podSelector: { matchLabels: { app.kubernetes.io/name: server',
        ],
      ],
      [`${local}/kustomization.yaml`]: [['temporal.holdfast.svc:7233', 'temporal.holdfast.svc:7234']],
      [`${local}/temporal.yaml`]: [
        ['readinessProbe: { tcpSocket: { port: grpc }', 'readinessProbe: { tcpSocket: { port: rpc }'],
        ['targetPort: grpc', 'targetPort: rpc'],
        ['targetPort: grpc', 'targetPort: ui'],
      ],
      'deploy/kubernetes/components/temporal-cloud/kustomization.yaml': [
        ['ports: [{ port: 7233 }]', 'ports: [{ port: 443 }]'],
        ['path: /spec/triggers/1', 'path: /spec/triggers/0'],
      ],
      Dockerfile: [['PORT=8080', 'PORT=8000']],
      'worker/service.ts': [["['/health', '/ready',", "['/health', '/readyz',"]],
      'container/http/endpoints.ts': [["'GET /health'", "'GET /healthz'"]],
      'contract/server/queue.ts': [['  wanted: z.number().int(),', '  desired: z.number().int(),']],
    },
  },
  {
    check: 'test/deploy/kubernetes/manifests.test.ts',
    faults: {
      [`${base}/encoder.yaml`]: [
        ['terminationGracePeriodSeconds: 21660', 'terminationGracePeriodSeconds: 30'],
        ["DRAIN_TIMEOUT_SECONDS, value: '21600'", "DRAIN_TIMEOUT_SECONDS, value: '600'"],
        ['{ name: MAX_SOURCE_BYTES,', '{ name: MAX_SOURCE_SIZE,'],
        ['holdfast-encoders', 'holdfast-workers'],
        ['      enableServiceLinks: false\n', '      enableServiceLinks: false\n      hostNetwork: true\n'],
      ],
      [`${base}/server.yaml`]: [
        ['          lifecycle: { preStop: { sleep: { seconds: 10 } } }\n', ''],
        ['name: holdfast-server, key: link-key', 'name: holdfast-server, key: linkkey'],
        ['readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false'],
        ['args: [server]', 'args: [servers]'],
        ['automountServiceAccountToken: false', 'automountServiceAccountToken: true'],
        ['            limits: { memory: 512Mi }\n', ''],
      ],
      [`${base}/workflows.yaml`]: [
        ["WORKER_DRAIN_SECONDS, value: '120'", "WORKER_DRAIN_SECONDS, value: '600'"],
        ['name: holdfast-workers, optional: true', 'name: holdfast-workers'],
      ],
      [`${keda}/scaled-object.yaml`]: [['name: holdfast-scaler, key: token', 'name: holdfast-scaler, key: tokens']],
      [`${base}/kustomization.yaml`]: [['newTag: 0.2.0', 'newTag: 0.1.0']],
      [`${local}/temporal.yaml`]: [
        ['temporalio/temporal:1.5.1', 'temporalio/temporal:1.4.0'],
        ['            - --search-attribute=HoldfastWaitUntil=Datetime\n', ''],
      ],
    },
  },
  {
    check: 'test/deploy/kubernetes/deployments.test.ts',
    faults: {
      [`${base}/encoder.yaml`]: [
        ['- { name: scratch, emptyDir: { sizeLimit: 52Gi } }', '- { name: scratch, emptyDir: { sizeLimit: 12Gi } }'],
        ["      annotations: { cluster-autoscaler.kubernetes.io/safe-to-evict: 'false' }\n", ''],
        [
          'port: http }, failureThreshold: 60, periodSeconds: 1 }',
          'port: http }, failureThreshold: 1, periodSeconds: 1 }',
        ],
        [
          'path: /health, port: http }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }',
          'path: /health, port: http }, periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 1 }',
        ],
        [
          'path: /health, port: http }, periodSeconds: 10, timeoutSeconds: 5,',
          'path: /health, port: http }, periodSeconds: 10,',
        ],
        ["cpu: '2', memory: 2Gi, ephemeral", "cpu: '2', memory: 256Mi, ephemeral"],
        ['emptyDir: { sizeLimit: 52Gi }', 'emptyDir: { sizeLimit: 52Gi, medium: Memory }'],
        [
          'memory: 256Mi }\n            limits: { memory: 512Mi }',
          'memory: 256Mi }\n            limits: { memory: 128Mi }',
        ],
      ],
      [`${base}/namespace.yaml`]: [['enforce: restricted', 'enforce: privileged']],
      [`${base}/server.yaml`]: [
        ['defaultMode: 0440', 'defaultMode: 0400'],
        ['maxSurge: 1, maxUnavailable: 0', 'maxSurge: 0, maxUnavailable: 2'],
      ],
      [`${base}/disruption.yaml`]: [
        ['{ name: server }\nspec:\n  maxUnavailable: 1', '{ name: server }\nspec:\n  maxUnavailable: 0'],
      ],
      [`${keda}/scaled-object.yaml`]: [
        ["activationTargetValue: '0'", "activationTargetValue: '5'"],
        ['cooldownPeriod: 600', 'cooldownPeriod: 6'],
        ['[{ type: Pods, value: 1, periodSeconds: 60 }]', '[{ type: Percent, value: 100, periodSeconds: 15 }]'],
      ],
      'deploy/kubernetes/components/s3/kustomization.yaml': [["name: '(workflows|server)'", 'name: workflows']],
    },
  },
  {
    check: 'test/deploy/kubernetes/monitoring.test.ts',
    faults: {
      'deploy/kubernetes/components/gateway/route.yaml': [['sectionName: https', 'sectionName: http']],
      'deploy/kubernetes/components/ingress/ingress.yaml': [
        ["proxy-read-timeout: '3600'", "proxy-read-timeout: '5'"],
        ["proxy-request-buffering: 'off'", "proxy-request-buffering: 'on'"],
      ],
      'deploy/kubernetes/components/monitoring/pods.yaml': [
        ['replacement: holdfast-container', 'replacement: holdfast-encoder'],
      ],
      'deploy/observability/alerts.yml': [['_undelivered_day) > 0', '_undelivered_day) > 1']],
    },
  },
  {
    // Without the set-up, which could install packages through the link to the project's own node_modules.
    check: 'node test/deploy/kubernetes/check.ts',
    faults: {
      [`${base}/server.yaml`]: [['terminationGracePeriodSeconds', 'terminationGraceSeconds']],
      [`${keda}/scaled-object.yaml`]: [['minReplicaCount', 'minReplicas']],
    },
  },
];
