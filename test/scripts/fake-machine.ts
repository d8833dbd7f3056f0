import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestProcess, type Environment, type Exit } from '../support/process.ts';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
/** Prints the variables that set-up passed. */
export const showTools = join(projectRoot, 'test/fixtures/setup/show-tools.mjs');

interface SetupResult extends Exit {
  output: string;
  tools: {
    TEMPORAL_CLI_PATH?: string;
    TEMPORAL_TEST_SERVER_PATH?: string;
    RCLONE_PATH?: string;
    TOXIPROXY_PATH?: string;
    VERSITYGW_PATH?: string;
    CHROMIUM_PATH?: string;
    args?: string[];
  };
}

export async function resultOf(setup: TestProcess): Promise<SetupResult> {
  const exit = await setup.exited;
  return { ...exit, output: setup.output, tools: (setup.logLines[0] ?? {}) as SetupResult['tools'] };
}

/** Mimics `go install`: a program of the module's name in GOBIN. */
export const goInstalls = (name: string) =>
  `printf '#!/bin/sh\\necho ${name} v1\\n' > "$GOBIN/${name}"; chmod +x "$GOBIN/${name}"`;

/** Runs the real set-up in a process of its own on a machine of fake programs on PATH; ffmpeg exists. */
export class FakeMachine {
  readonly folder: string;
  readonly bin: string;
  readonly cache: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.bin = join(folder, 'bin');
    this.cache = join(folder, 'cache');
    mkdirSync(this.bin);
    for (const name of ['sh', 'cat', 'cp', 'chmod', 'mkdir', 'sleep', 'touch', 'dirname', 'ln', 'rm']) {
      const real = ['/bin', '/usr/bin'].map((path) => join(path, name)).find(existsSync);
      if (real !== undefined) symlinkSync(real, join(this.bin, name));
    }
    this.addProgram('ffmpeg');
    this.addProgram('ffprobe');
  }

  static async make(): Promise<FakeMachine> {
    return new FakeMachine(await mkdtemp(join(tmpdir(), 'holdfast-setup-')));
  }

  /** Adds an executable shell script; each call leaves a line in `<name>.calls`. */
  addProgram(name: string, script = 'exit 0', folder = this.bin): string {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\necho "$@" >> "${path}.calls"\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  calls(name: string): string[] {
    const file = join(this.bin, `${name}.calls`);
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  start(args: readonly string[], environment?: Environment, root = projectRoot): TestProcess {
    return this.startScript(join(root, 'scripts/setup.mjs'), args, environment);
  }

  startTool(args: readonly string[], environment?: Environment): TestProcess {
    return this.startScript(join(projectRoot, 'scripts/setup/tool.mjs'), args, environment);
  }

  async setUp(environment?: Environment, ...flags: string[]): Promise<SetupResult> {
    return await resultOf(this.start([...flags, showTools], environment));
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  startScript(script: string, args: readonly string[], environment: Environment = {}): TestProcess {
    const own = { PATH: this.bin, HOME: this.folder, HOLDFAST_CACHE: this.cache, HOLDFAST_SDK_DOWNLOAD: '0' };
    // A machine without ffmpeg installs it, and few tests are about that.
    const shell = join(this.bin, 'sh');
    const pythons = {
      MUTAGEN_PYTHON: shell,
      SCHEMATHESIS_PYTHON: shell,
      TEMPORAL_PYTHON: shell,
      SPEECH_PYTHON: shell,
      TRANSCRIBER_PYTHON: shell,
    };
    const installed = {
      ...pythons,
      VMAF_FFMPEG_PATH: shell,
      PROMTOOL_PATH: shell,
      KUSTOMIZE_PATH: shell,
      ACTIONLINT_PATH: shell,
      AZURITE_PATH: shell,
      FAKE_GCS_PATH: shell,
      SFTP_SERVER_PATH: shell,
    };
    return new TestProcess(
      script,
      process.execPath,
      [script, ...args],
      { ...own, ...installed, ...environment },
      this.folder,
    );
  }
}
