import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { ensureKubeApiServer, type KubeApiServer } from '../../../scripts/setup/kubernetes-tools.mjs';
import { freePort } from '../../support/ports.ts';
import { TestProcess, testEnvironment } from '../../support/process.ts';
import { certificateOf } from '../../support/tls-server.ts';
import type { Resource } from './variants.ts';

export interface Answer {
  status: number;
  /** Reason of a refusal. */
  message?: string;
  /** Warnings about an accepted resource. */
  warnings: string[];
}

interface Kind {
  kind: string;
  /** Plural name, as in paths. */
  name: string;
  namespaced: boolean;
}

interface KindList {
  resources: Kind[];
}

interface Ports {
  etcd: number;
  etcdPeer: number;
  server: number;
}

/** Generous for a busy machine; alone the server takes about 4 s. */
const readyTimeoutMs = 240_000;

/** A real Kubernetes API server over its own etcd on loopback, without controllers: it only stores. */
export class ApiServer {
  readonly version: string;
  readonly #etcd: TestProcess;
  readonly #server: TestProcess;
  readonly #url: string;
  readonly #agent: Agent;
  readonly #token = randomUUID();
  /** Kinds by API version. */
  readonly #kinds = new Map<string, KindList>();

  private constructor(programs: KubeApiServer, folder: string, ports: Ports) {
    const { key, cert } = certificateOf('localhost');
    const account = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const keep = (name: string, content: string | Buffer): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const accountKey = keep('account.key', account.export({ type: 'pkcs1', format: 'pem' }));
    const serverArguments = [
      `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
      ...['--bind-address=127.0.0.1', '--advertise-address=127.0.0.1', `--secure-port=${ports.server}`],
      ...[`--tls-cert-file=${keep('server.crt', cert)}`, `--tls-private-key-file=${keep('server.key', key)}`],
      ...[`--token-auth-file=${keep('tokens.csv', `${this.#token},check,check\n`)}`, '--anonymous-auth=false'],
      ...['--authorization-mode=AlwaysAllow', '--service-account-issuer=https://kubernetes.default.svc'],
      ...[`--service-account-signing-key-file=${accountKey}`, `--service-account-key-file=${accountKey}`],
      // Clusters allow privileged pods here and leave the decision to Pod Security.
      ...['--allow-privileged=true', '--service-cluster-ip-range=10.0.0.0/24'],
    ];
    const [etcdUrl, peerUrl] = [ports.etcd, ports.etcdPeer].map((port) => `http://127.0.0.1:${port}`);
    const etcdArguments = [
      ...[`--data-dir=${join(folder, 'etcd')}`, `--initial-cluster=default=${peerUrl}`],
      ...[`--listen-client-urls=${etcdUrl}`, `--advertise-client-urls=${etcdUrl}`],
      ...[`--listen-peer-urls=${peerUrl}`, `--initial-advertise-peer-urls=${peerUrl}`],
    ];
    this.version = programs.version;
    this.#url = `https://127.0.0.1:${ports.server}`;
    this.#agent = new Agent({ connect: { ca: cert, servername: 'localhost' } });
    this.#etcd = new TestProcess('etcd', programs.etcd, etcdArguments, testEnvironment());
    this.#server = new TestProcess('kube-apiserver', programs.apiServer, serverArguments, testEnvironment());
  }

  /** Keeps its files in `folder`, which is created. */
  static async start(folder: string): Promise<ApiServer> {
    const programs = await ensureKubeApiServer();
    await mkdir(folder, { mode: 0o700 });
    const ports = { etcd: await freePort(), etcdPeer: await freePort(), server: await freePort() };
    const api = new ApiServer(programs, folder, ports);
    try {
      await api.#server.until('readiness', () => api.#isReady(), readyTimeoutMs);
    } catch (error) {
      await api.stop();
      throw error;
    }
    return api;
  }

  async isNamespaced(resource: Resource): Promise<boolean> {
    return (await this.#kindOf(resource)).namespaced;
  }

  /** Does what `kubectl apply --server-side --validate=strict` does. */
  async apply(resource: Resource): Promise<Answer> {
    const query = 'fieldManager=check&fieldValidation=Strict';
    const path = `${await this.#pathTo(resource)}/${resource.metadata.name}?${query}`;
    return answerOf(await this.#send('PATCH', path, { type: 'application/apply-patch+yaml', content: resource }));
  }

  async create(resource: Resource): Promise<Answer> {
    const path = `${await this.#pathTo(resource)}?fieldValidation=Strict`;
    return answerOf(await this.#send('POST', path, { type: 'application/json', content: resource }));
  }

  /** Removes at once: without controllers nothing has to end. */
  async remove(resource: Resource): Promise<Answer> {
    const path = `${await this.#pathTo(resource)}/${resource.metadata.name}?gracePeriodSeconds=0`;
    return answerOf(await this.#send('DELETE', path));
  }

  async stop(): Promise<void> {
    await this.#agent.destroy();
    await this.#server.stop('SIGTERM');
    await this.#etcd.stop('SIGTERM');
  }

  async #isReady(): Promise<boolean> {
    if (this.#etcd.exit !== undefined) throw new Error(`etcd ended:\n${this.#etcd.output}`);
    const answer = await this.#send('GET', '/readyz').catch(() => undefined);
    return answer?.status === 200;
  }

  async #pathTo(resource: Resource): Promise<string> {
    const { name, namespaced } = await this.#kindOf(resource);
    return `${rootOf(resource)}${namespaced ? `/namespaces/${resource.metadata.namespace}` : ''}/${name}`;
  }

  async #kindOf(resource: Resource): Promise<Kind> {
    const { apiVersion, kind } = resource;
    return await this.#server.until(`kind ${kind} of ${apiVersion}`, async () => {
      const list = this.#kinds.get(apiVersion) ?? (await this.#kindsOf(rootOf(resource)));
      const known = list?.resources.find((one) => one.kind === kind && !one.name.includes('/'));
      if (list !== undefined && known !== undefined) this.#kinds.set(apiVersion, list);
      return known;
    });
  }

  /** Undefined for resources that were defined a moment ago. */
  async #kindsOf(root: string): Promise<KindList | undefined> {
    const { status, body } = await this.#send('GET', root);
    return status === 200 ? (JSON.parse(body) as KindList) : undefined;
  }

  async #send(method: 'GET' | 'PATCH' | 'POST' | 'DELETE', path: string, body?: { type: string; content: unknown }) {
    const response = await request(`${this.#url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${this.#token}`, ...(body && { 'content-type': body.type }) },
      ...(body && { body: JSON.stringify(body.content) }),
    });
    const warnings = [response.headers['warning'] ?? []].flat();
    return { status: response.statusCode, warnings, body: await response.body.text() };
  }
}

function rootOf({ apiVersion }: Resource): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function answerOf({ status, warnings, body }: { status: number; warnings: string[]; body: string }): Answer {
  if (status < 300) return { status, warnings };
  return { status, warnings, message: (JSON.parse(body) as { message: string }).message };
}
