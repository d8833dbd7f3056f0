import { mkdirSync } from 'node:fs';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Response } from 'express';
import { errnoOf } from '../../contract/unknown-values.ts';

/** Longer than any cookie lasts. */
const keptMs = 24 * 3_600_000;

/**
 * Sessions that were ended before their cookies run out, of which somebody may have copies. In a folder they are known after a restart, and
 * to all servers that share it.
 */
export class EndedSessions {
  readonly #folder: string | undefined;
  /** When the cookie of each runs out. */
  readonly #ended = new Map<string, number>();
  readonly #open = new Map<string, Set<Response>>();

  constructor(folder: string | undefined) {
    this.#folder = folder;
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
  }

  async has(id: string): Promise<boolean> {
    if (this.#ended.has(id) || this.#folder === undefined) return this.#ended.has(id);
    try {
      await stat(join(this.#folder, id));
      return true;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  /** An answer that goes on, such as a stream of events, ends with its session. */
  watch(id: string, expiresAtMs: number, response: Response): void {
    // Since it was asked for.
    if (this.#ended.has(id)) {
      response.destroy();
      return;
    }
    const open = this.#open.get(id) ?? new Set();
    this.#open.set(id, open.add(response));
    const timer = setTimeout(() => response.destroy(), Math.max(0, expiresAtMs - Date.now())).unref();
    response.once('close', () => {
      clearTimeout(timer);
      open.delete(response);
      if (open.size === 0 && this.#open.get(id) === open) this.#open.delete(id);
    });
  }

  /** `answer`: to the request that ends it. */
  async end(id: string, expiresAtMs: number, answer: Response): Promise<void> {
    this.#ended.set(id, expiresAtMs);
    for (const response of this.#open.get(id) ?? []) if (response !== answer) response.destroy();
    await this.#forgetOld();
    if (this.#folder !== undefined) await writeFile(join(this.#folder, id), String(expiresAtMs));
  }

  async #forgetOld(): Promise<void> {
    const now = Date.now();
    for (const [id, expiresAtMs] of this.#ended) if (expiresAtMs < now) this.#ended.delete(id);
    const folder = this.#folder;
    if (folder === undefined) return;
    for (const name of await readdir(folder)) {
      const facts = await stat(join(folder, name)).catch(() => undefined);
      if (facts !== undefined && now - facts.mtimeMs > keptMs) await rm(join(folder, name), { force: true });
    }
  }
}
