import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import { CommandSandbox } from '../cli/command-sandbox.ts';
import { TestStack } from '../support/stack.ts';

const ways = ['HTTP', 'workflow', 'command line'] as const;
type Way = (typeof ways)[number];

/** Makes files by HTTP, and the same files by the workflow and on the command line, with the same custom presets. */
export class AllWays {
  readonly #stack: TestStack;
  readonly #sandbox: CommandSandbox;
  readonly #made = new Map<string, string>();

  private constructor(stack: TestStack, sandbox: CommandSandbox) {
    this.#stack = stack;
    this.#sandbox = sandbox;
  }

  static async start(presetsFile: string): Promise<AllWays> {
    const PRESETS_FILE = presetsFile;
    const sandbox = await CommandSandbox.create();
    sandbox.setVariables({ PRESETS_FILE });
    // The commands share these parts; otherwise each would start its own.
    const [stack] = await Promise.all([TestStack.start({ containerEnvironment: { PRESETS_FILE } }), sandbox.start()]);
    return new AllWays(stack, sandbox);
  }

  async stop(): Promise<void> {
    await this.#sandbox.remove();
    await this.#stack.stop();
  }

  /** Encodes the source by all presets over HTTP; a request has at most eight outputs. */
  async encode(source: string, presets: readonly string[]): Promise<void> {
    const { container } = this.#stack;
    const answer = await container.call('POST', '/encode', await this.#inputTo('http', source, presets));
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    this.#record('HTTP', presets, (preset) => join(container.mediaRoot, 'http', preset));
  }

  /** Encodes the source by all presets in every way. */
  async encodeByAll(source: string, presets: readonly string[]): Promise<void> {
    await this.encode(source, presets);
    const { container } = this.#stack;
    await (await this.#stack.run('encode', await this.#inputTo('workflow', source, presets))).result();
    this.#record('workflow', presets, (preset) => join(container.mediaRoot, 'workflow', preset));

    const file = basename(source);
    await copyFile(source, join(this.#sandbox.folder, file));
    const encode = this.#sandbox.npm('encode', '--', file, '--preset', presets.join(','), '--out', 'out', '--json');
    expect((await encode.exited).code, encode.output).toBe(0);
    // The output also contains progress lines.
    const json = encode.output.slice(encode.output.indexOf('{\n'), encode.output.lastIndexOf('\n}') + 2);
    const { runs } = JSON.parse(json) as { runs: { files: string[] }[] };
    const fileAt = (index: number) => basename(runs[0]?.files[index] ?? '');
    this.#record('command line', presets, (_, index) => join(this.#sandbox.folder, 'out', fileAt(index)));
  }

  filesOf(preset: string): string[] {
    return ways.map((way) => this.#fileOf(way, preset));
  }

  httpFileOf(preset: string): string {
    return this.#fileOf('HTTP', preset);
  }

  async #inputTo(prefix: string, source: string, presets: readonly string[]) {
    const { container } = this.#stack;
    const file = basename(source);
    await copyFile(source, join(container.mediaRoot, file));
    return {
      sourceUrl: container.fileUrl(file),
      outputs: presets.map((preset) => ({ preset, uploadUrl: container.fileUrl(`${prefix}/${preset}`) })),
    };
  }

  #record(way: Way, presets: readonly string[], pathOf: (preset: string, index: number) => string): void {
    for (const [index, preset] of presets.entries()) this.#made.set(`${way} ${preset}`, pathOf(preset, index));
  }

  #fileOf(way: Way, preset: string): string {
    const path = this.#made.get(`${way} ${preset}`);
    if (path === undefined) throw new Error(`no ${preset} by ${way}`);
    return path;
  }
}
