import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../support/process.ts';

/** Wraps the real programs; while shut, the barrier holds one kind of call. */
const script = `#!/bin/sh
held=$0.held
if [ -e "$held" ]; then
  case "$*" in
  *"$(cat "$held")"*)
    : >"$0.reached"
    while [ -e "$held" ]; do sleep 0.02; done
    ;;
  esac
fi
exec "\${0##*/}" "$@"
`;

type Tool = 'ffmpeg' | 'ffprobe';

/** Holds a container's job in a phase that would otherwise pass before a test could act. */
export class Barrier {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async make(): Promise<Barrier> {
    const barrier = new Barrier(await mkdtemp(join(tmpdir(), 'holdfast-barrier-')));
    for (const tool of ['ffmpeg', 'ffprobe'] as const) {
      await writeFile(barrier.#path(tool), script);
      await chmod(barrier.#path(tool), 0o755);
    }
    return barrier;
  }

  /** Environment that routes a container's tools through the barrier. */
  get environment(): Environment {
    return { FFMPEG_PATH: this.#path('ffmpeg'), FFPROBE_PATH: this.#path('ffprobe') };
  }

  /** Holds calls of the tool with this text in their arguments. */
  async shut(tool: Tool, text: string): Promise<void> {
    await rm(`${this.#path(tool)}.reached`, { force: true });
    await writeFile(`${this.#path(tool)}.held`, text);
  }

  isReached(tool: Tool): boolean {
    return existsSync(`${this.#path(tool)}.reached`);
  }

  async open(): Promise<void> {
    for (const tool of ['ffmpeg', 'ffprobe'] as const) await rm(`${this.#path(tool)}.held`, { force: true });
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  #path(tool: Tool): string {
    return join(this.#folder, tool);
  }
}
