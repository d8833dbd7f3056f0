import type { Client, WorkflowHandle, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import proto from '@temporalio/proto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import packageFacts from '../../package.json' with { type: 'json' };

const folder = new URL(`${packageFacts.version}/`, import.meta.url);

type Chain = Pick<WorkflowHandleWithFirstExecutionRunId, 'workflowId' | 'firstExecutionRunId'>;

/** Writes what the server has of runs, one file a run. Those of former versions stay as they are. */
export class Recorder {
  readonly #names = new Set<string>();

  /** A run, and where it continued as new the first of its chain, too. */
  async recordChain(name: string, client: Client, { workflowId, firstExecutionRunId }: Chain): Promise<void> {
    const last = client.workflow.getHandle(workflowId);
    await this.#record(name, last);
    if ((await last.describe()).runId === firstExecutionRunId) return;
    await this.#record(`${name}-before`, client.workflow.getHandle(workflowId, firstExecutionRunId));
  }

  async #record(name: string, handle: WorkflowHandle): Promise<void> {
    if (this.#names.has(name)) throw new Error(`${name} is recorded twice`);
    this.#names.add(name);
    const bytes = proto.temporal.api.history.v1.History.encode(await handle.fetchHistory()).finish();
    const packed = gzipSync(bytes, { level: 9 });
    await mkdir(folder, { recursive: true });
    await writeFile(new URL(`${name}.bin.gz`, folder), packed);
    console.log(`${name}: ${packed.length} bytes`);
  }

  /** What is no longer recorded goes. */
  async removeOthers(): Promise<void> {
    const files = (await readdir(folder)).filter((file) => file.endsWith('.bin.gz'));
    const others = files.filter((file) => !this.#names.has(file.slice(0, -'.bin.gz'.length)));
    await Promise.all(others.map((file) => rm(new URL(file, folder))));
  }
}
