import type { Client, WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import packageFacts from '../../package.json' with { type: 'json' };

const folder = new URL(`${packageFacts.version}/`, import.meta.url);

/** Writes what the server has of runs, one file a run. Those of former versions stay as they are. */
export class Recorder {
  readonly #names = new Set<string>();

  /** A run, and where it continued as new the one before it, too. */
  async recordChain(name: string, client: Client, workflowId: string): Promise<void> {
    const before = await this.#record(name, client.workflow.getHandle(workflowId));
    if (before !== undefined) await this.#record(`${name}-before`, client.workflow.getHandle(workflowId, before));
  }

  /** Gives the id of the run that it continued. */
  async #record(name: string, handle: WorkflowHandle): Promise<string | undefined> {
    if (this.#names.has(name)) throw new Error(`${name} is recorded twice`);
    this.#names.add(name);
    const history = await handle.fetchHistory();
    const packed = gzipSync(proto.temporal.api.history.v1.History.encode(history).finish(), { level: 9 });
    await mkdir(folder, { recursive: true });
    await writeFile(new URL(`${name}.bin.gz`, folder), packed);
    console.log(`${name}: ${history.events?.length} events, ${packed.length} bytes`);
    return history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  }

  /** What is no longer recorded goes. */
  async removeOthers(): Promise<void> {
    const files = (await readdir(folder)).filter((file) => file.endsWith('.bin.gz'));
    const others = files.filter((file) => !this.#names.has(file.slice(0, -'.bin.gz'.length)));
    await Promise.all(others.map((file) => rm(new URL(file, folder))));
  }
}
