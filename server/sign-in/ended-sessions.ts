import { mkdirSync } from 'node:fs';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Response } from 'express';
import { errnoOf } from '../../contract/unknown-values.ts';

/** Longer than the lifetime of any cookie. */
const keptMs = 24 * 3_600_000;

/** Another server that shares the folder may end a session. */
const checkEveryMs = 10_000;

interface OpenSession {
  expiresAtMs: number;
  answers: Set<Response>;
}

/**
 * Sessions that were signed out before their cookies expire, so that a copied cookie is refused. A folder keeps them over restarts and
 * shares them between servers.
 */
export class EndedSessions {
  readonly #folder: string | undefined;
  /** Expiry of each session's cookie, in milliseconds since the epoch. */
  readonly #ended = new Map<string, number>();
  readonly #open = new Map<string, OpenSession>();

  constructor(folder: string | undefined) {
    this.#folder = folder;
    setInterval(() => void this.#closeEnded(), checkEveryMs).unref();
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

  /** Closes a long answer, such as an event stream, when its session ends. */
  watch(id: string, expiresAtMs: number, response: Response): void {
    // The session ended while the request was authenticated.
    if (this.#ended.has(id)) {
      response.destroy();
      return;
    }
    const session = this.#open.get(id) ?? { expiresAtMs, answers: new Set() };
    this.#open.set(id, session);
    session.answers.add(response);
    response.once('close', () => this.#forget(id, response));
  }

  /** `answer` belongs to the sign-out request and stays open. */
  async end(id: string, expiresAtMs: number, answer: Response): Promise<void> {
    this.#ended.set(id, expiresAtMs);
    for (const response of this.#open.get(id)?.answers ?? []) if (response !== answer) response.destroy();
    await this.#forgetOld();
    if (this.#folder !== undefined) await writeFile(join(this.#folder, id), String(expiresAtMs));
  }

  async #closeEnded(): Promise<void> {
    for (const [id, { expiresAtMs, answers }] of this.#open) {
      // A network disk that fails for a moment ends no stream.
      const isEnded = expiresAtMs <= Date.now() || (await this.has(id).catch(() => false));
      for (const response of answers) {
        if (isEnded) response.destroy();
        // The caller may have left before the answer was watched, or while it was in line behind another one.
        if (response.req.socket.destroyed) this.#forget(id, response);
      }
    }
  }

  #forget(id: string, response: Response): void {
    const session = this.#open.get(id);
    session?.answers.delete(response);
    if (session?.answers.size === 0) this.#open.delete(id);
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
