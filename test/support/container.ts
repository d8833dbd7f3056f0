import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { request } from 'undici';
import { containerNodeFlags } from '../../contract/defaults.ts';
import { type HealthBody, JobsPage, type JobView } from '../../contract/http/job.ts';
import { freePort } from './ports.ts';
import { startNode, type Environment, type TestProcess } from './process.ts';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests compare it field by field
  body: any;
}

/** The real container as a separate process on a free port. */
export class TestContainer {
  readonly url: string;
  readonly mediaRoot: string;
  readonly scratchDir: string;
  readonly process: TestProcess;
  readonly #folder: string;
  readonly #port: number;
  readonly #environment: Environment;

  private constructor(folder: string, port: number, environment: Environment) {
    this.#folder = folder;
    this.#port = port;
    this.#environment = environment;
    this.mediaRoot = join(folder, 'media');
    this.scratchDir = join(folder, 'scratch');
    this.url = `http://127.0.0.1:${port}`;
    const settings = {
      PORT: String(port),
      MEDIA_ROOT: this.mediaRoot,
      SCRATCH_DIR: this.scratchDir,
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.1',
      // A test that stops the container does not wait for jobs; tests of draining override this.
      DRAIN_TIMEOUT_SECONDS: '0',
      ...environment,
    };
    this.process = startNode('container/main.ts', settings, containerNodeFlags);
  }

  static async start(environment: Environment = {}, port?: number): Promise<TestContainer> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-test-')));
    await mkdir(join(folder, 'media'));
    await mkdir(join(folder, 'scratch'));
    const container = new TestContainer(folder, port ?? (await freePort()), environment);
    await container.process.untilLogged(/^Listening on /);
    return container;
  }

  /** Replaces a killed process on the same port, with the same folders and settings. */
  static async restart(killed: TestContainer): Promise<TestContainer> {
    const container = new TestContainer(killed.#folder, killed.#port, killed.#environment);
    await container.process.untilLogged(/^Listening on /);
    return container;
  }

  fileUrl(name: string): string {
    return pathToFileURL(join(this.mediaRoot, name)).href;
  }

  async call(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    headers: Environment = {},
  ): Promise<Answer> {
    const response = await request(`${this.url}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      // A held job may exceed undici's five minutes; the time limit of the test applies.
      headersTimeout: 0,
    });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** Starts a job with `Prefer: respond-async`, and returns its id. */
  async submit(path: '/encode' | '/chunk' | '/metadata', body: unknown, headers: Environment = {}): Promise<string> {
    const answer = await this.call('POST', path, body, { prefer: 'respond-async', ...headers });
    if (answer.status !== 202) throw new Error(`expected 202: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.jobId;
  }

  async job(jobId: string): Promise<JobView> {
    return (await this.call('GET', `/jobs/${jobId}`)).body;
  }

  async untilJob(jobId: string, what: string, probe: (job: JobView) => boolean, timeoutMs?: number): Promise<JobView> {
    const find = async (): Promise<JobView | false> => {
      const job = await this.job(jobId);
      return probe(job) && job;
    };
    return await this.process.until(what, find, timeoutMs);
  }

  async untilRunning(what: string, probe: (job: JobsPage['jobs'][number]) => boolean): Promise<void> {
    await this.process.until(what, async () => {
      const { jobs } = JobsPage.parse((await this.call('GET', '/jobs')).body);
      return jobs.some((job) => job.state === 'running' && probe(job));
    });
  }

  /** Waits until ffmpeg runs. A run's status may show a percentage only 5 s after the phase has begun. */
  async untilEncoding(): Promise<void> {
    await this.untilRunning('encode', ({ phase, percent }) => phase === 'encode' && percent > 12);
  }

  async untilEnded(jobId: string): Promise<JobView> {
    return this.untilJob(jobId, 'end of the job', ({ state }) => state !== 'running');
  }

  async health(): Promise<HealthBody> {
    return (await this.call('GET', '/health')).body;
  }

  async jobFolders(): Promise<string[]> {
    const roots = await readdir(this.scratchDir);
    return (await Promise.all(roots.map((root) => readdir(join(this.scratchDir, root))))).flat();
  }

  async stop(): Promise<void> {
    await this.process.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
