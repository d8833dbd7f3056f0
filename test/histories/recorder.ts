import type { Client, WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import packageFacts from '../../package.json' with { type: 'json' };

const folder = new URL(`${packageFacts.version}/`, import.meta.url);

/** Writes the histories of runs, one file per run. Files of older versions stay unchanged. */
export class Recorder {
  readonly #names = new Set<string>();

  /** Records a run and, if it continued as new, the run before it. */
  async recordChain(name: string, client: Client, workflowId: string): Promise<void> {
    const before = await this.#record(name, client.workflow.getHandle(workflowId));
    if (before !== undefined) await this.#record(`${name}-before`, client.workflow.getHandle(workflowId, before));
  }

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

  /** Removes files of scenarios that are no longer recorded. */
  async removeOthers(): Promise<void> {
    const files = (await readdir(folder)).filter((file) => file.endsWith('.bin.gz'));
    const others = files.filter((file) => !this.#names.has(file.slice(0, -'.bin.gz'.length)));
    await Promise.all(others.map((file) => rm(new URL(file, folder))));
  }
}
