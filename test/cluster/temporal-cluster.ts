import { Client, Connection } from '@temporalio/client';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { ensureClusterTools, type ClusterTools } from '../../scripts/setup/cluster-tools.mjs';
import { freePort, isOpen } from '../support/ports.ts';
import { run, TestProcess, testEnvironment } from '../support/process.ts';
import type { TemporalServer } from '../support/temporal.ts';
import { toolPath } from '../support/tools.ts';
import {
  clusterConfig,
  type ClusterPlace,
  dynamicConfig,
  type FrontendSecurity,
  type ServiceName,
} from './cluster-config.ts';
import { databaseUser, type Postgres, startPostgres } from './postgres.ts';

interface ServiceProcess {
  process: TestProcess;
  start(): TestProcess;
  /** Port that is open when the service works: for calls, or for membership of the worker service. */
  openPort: number;
}

const databases = { temporal: 'postgresql/v12/temporal', temporal_visibility: 'postgresql/v12/visibility' };

/** Services of the cluster; history and matching run twice, so that one of each may die. */
const services = {
  frontend: 'frontend',
  'history-1': 'history',
  'history-2': 'history',
  'matching-1': 'matching',
  'matching-2': 'matching',
  worker: 'worker',
} as const satisfies Record<string, ServiceName>;
export type ClusterService = keyof typeof services;

/** PostgreSQL computes the columns that are left out. */
const copyRows = (count: number): string => `
DO $$ DECLARE kept text; BEGIN
  SELECT string_agg(quote_ident(column_name), ', ') INTO kept FROM information_schema.columns
    WHERE table_name = 'executions_visibility' AND is_generated = 'NEVER'
    AND column_name NOT IN ('run_id', 'workflow_id', 'start_time', 'execution_time', 'close_time');
  EXECUTE format('
    WITH ended AS (SELECT *, row_number() OVER () - 1 AS place, count(*) OVER () AS places,
        max(close_time) OVER () - min(start_time) OVER () AS span
      FROM executions_visibility WHERE close_time IS NOT NULL)
    INSERT INTO executions_visibility (run_id, workflow_id, start_time, execution_time, close_time, %s)
    SELECT gen_random_uuid()::text, workflow_id || ''-copy-'' || copy, start_time - span * copy,
      execution_time - span * copy, close_time - span * copy, %s
    FROM ended CROSS JOIN LATERAL generate_series(1, (${count} - place + places - 1) / places) AS copy', kept, kept);
END $$; ANALYZE executions_visibility`;

/** Temporal as in production: PostgreSQL, and each service in its own processes, which a test may kill. */
export class TemporalCluster {
  readonly #folder: string;
  readonly #tools: ClusterTools;
  readonly #postgres: Postgres;
  readonly #place: ClusterPlace;
  readonly #services = new Map<string, ServiceProcess>();

  private constructor(folder: string, tools: ClusterTools, postgres: Postgres, place: ClusterPlace) {
    this.#folder = folder;
    this.#tools = tools;
    this.#postgres = postgres;
    this.#place = place;
  }

  static async start(): Promise<TemporalCluster> {
    const tools = await ensureClusterTools();
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-cluster-'));
    const postgres = await startPostgres(tools.postgresFolder);
    const dynamicConfigFile = join(folder, 'dynamic.yaml');
    await writeFile(dynamicConfigFile, dynamicConfig);
    const place = { postgresPort: postgres.port, frontendPort: await freePort(), dynamicConfigFile };
    const cluster = new TemporalCluster(folder, tools, postgres, place);
    await cluster.#open().catch(async (error: unknown) => {
      await cluster.stop();
      throw error;
    });
    return cluster;
  }

  get address(): string {
    return `127.0.0.1:${this.#place.frontendPort}`;
  }

  /** The cluster as the server of a test stack. */
  asServer(): TemporalServer {
    const frontend = () => this.#service('frontend').process;
    return {
      address: this.address,
      uiUrl: '',
      get process() {
        return frontend();
      },
      restart: async () => this.restart('frontend'),
      cli: async (...args) => await this.cli(...args),
      stop: async () => await this.stop(),
    };
  }

  /** Kills a service at once, as if its machine were gone. */
  async kill(name: ClusterService): Promise<void> {
    await this.#service(name).process.stop('SIGKILL');
  }

  async restart(name: ClusterService): Promise<void> {
    const service = this.#service(name);
    service.process = service.start();
    await this.#untilOpen(name);
  }

  /** Adds a frontend with this security; its address uses the host name of its certificate. */
  async addFrontend(security: FrontendSecurity): Promise<string> {
    const port = await freePort();
    const name = `frontend-${port}`;
    await this.#addService(name, 'frontend', port, security);
    await this.#untilOpen(name);
    return `localhost:${port}`;
  }

  async cli(...args: string[]): Promise<string> {
    const path = await toolPath('TEMPORAL_CLI_PATH');
    const { code, output } = await run(path, [...args, '--address', this.address]);
    if (code !== 0) throw new Error(`temporal ${args.join(' ')} failed: ${output}`);
    return output;
  }

  /**
   * Adds ended runs to the list, each a copy of the visibility row of one that has ended. The copies are older than all
   * runs, and have no history.
   */
  async copyEndedRuns(count: number): Promise<void> {
    const place = ['-h', '127.0.0.1', '-p', `${this.#postgres.port}`, '-U', databaseUser, '-d', 'temporal_visibility'];
    const psql = join(this.#tools.postgresFolder, 'psql');
    const { code, output } = await run(psql, [...place, '-v', 'ON_ERROR_STOP=1', '-c', copyRows(count)]);
    if (code !== 0) throw new Error(`the runs were not copied: ${output}`);
  }

  /** Output of every process, for diagnosis. */
  get output(): string {
    return [...this.#services].map(([name, { process }]) => `== ${name}\n${process.output}`).join('\n');
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#services.values()].map(({ process }) => process.stop('SIGTERM', 10_000)));
    await this.#postgres.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #open(): Promise<void> {
    for (const [name, schema] of Object.entries(databases)) await this.#makeDatabase(name, schema);
    for (const [name, service] of Object.entries(services)) {
      const port = service === 'frontend' ? this.#place.frontendPort : await freePort();
      await this.#addService(name, service, port);
      // One process initialises the database: of two at once, the other would exit.
      await this.#untilOpen(name);
    }
    await this.#register();
  }

  async #makeDatabase(name: string, schema: string): Promise<void> {
    const place = ['--plugin', 'postgres12', '--ep', '127.0.0.1', '-p', `${this.#postgres.port}`, '-u', databaseUser];
    const steps = [['create-database'], ['setup-schema', '-v', '0.0'], ['update-schema', '--schema-name', schema]];
    for (const step of steps) {
      const { code, output } = await run(this.#tools.sqlTool, [...place, '--db', name, ...step]);
      if (code !== 0) throw new Error(`${step[0]} of ${name} failed: ${output}`);
    }
  }

  async #addService(name: string, service: ServiceName, port: number, security?: FrontendSecurity): Promise<void> {
    const ports = { grpc: port, membership: await freePort() };
    await mkdir(join(this.#folder, name));
    await writeFile(join(this.#folder, name, 'cluster.yaml'), clusterConfig(ports, this.#place, security));
    const args = ['--root', this.#folder, '--config', name, '--env', 'cluster', 'start', '--service', service];
    const start = () => new TestProcess(name, this.#tools.temporalServer, args, testEnvironment());
    const openPort = service === 'worker' ? ports.membership : port;
    this.#services.set(name, { openPort, start, process: start() });
  }

  #service(name: string): ServiceProcess {
    const service = this.#services.get(name);
    if (service === undefined) throw new Error(`the cluster has no ${name}`);
    return service;
  }

  async #untilOpen(name: string): Promise<void> {
    const { process, openPort } = this.#service(name);
    await process.until(`open port of ${name}`, () => isOpen(openPort), 60_000);
  }

  /** Registers namespace and search attributes with the command for operators. */
  async #register(): Promise<void> {
    const { process } = this.#service('frontend');
    const connection = await process.until('answering frontend', () =>
      Connection.connect({ address: this.address, connectTimeout: 1_000 }).catch(() => undefined),
    );
    await process.until(
      'namespace',
      () => this.cli('operator', 'namespace', 'create', '--namespace', 'default').catch(() => undefined),
      60_000,
    );
    const client = new Client({ connection });
    const isKnown = () =>
      client.workflow.count().then(
        () => true,
        () => false,
      );
    await process.until('namespace that all services know', isKnown, 60_000);
    await connection.close();
    const environment = testEnvironment({ TEMPORAL_ADDRESS: this.address, HOLDFAST_HOME: this.#folder });
    const { code, output } = await run(execPath, ['cli/main.ts', 'setup-server'], { environment });
    if (code !== 0) throw new Error(`setup-server failed: ${output}`);
  }
}
