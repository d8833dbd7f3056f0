/**
 * What does a command cost from its start to its exit? One second of audio is encoded with a stack that the command
 * starts and stops, and beside a running one. Beside each encode, Temporal's own command line starts a run of the same
 * workflow. `presets` connects to nothing, so it costs the start alone. The CPU seconds are those of the command and of
 * all processes that it starts and stops. `npm run bench:start -- [rounds]`, 5 by default.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { longWav, musicOgg } from '../test/support/media.ts';
import { freePort } from '../test/support/ports.ts';
import { type Environment, run, testEnvironment, TestProcess } from '../test/support/process.ts';
import { toolPath } from '../test/support/tools.ts';
import { cost } from './cost.ts';
import { inUnit, report } from './report.ts';

const rounds = Number(process.argv[2] ?? 5);
const projectRoot = fileURLToPath(new URL('..', import.meta.url));
const temporal = await toolPath('TEMPORAL_CLI_PATH');
const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-start-'));
const wav = await longWav({ seconds: 1, channels: 2, source: musicOgg });
const options = [wav, '--format', 'mp3_128', '--out', join(folder, 'out'), '--overwrite'];
const binary = join(projectRoot, 'scripts/holdfast.mjs');
/** A user's shell has no tools of the tests, so the set-up looks for them. */
const { TEMPORAL_CLI_PATH: _, ...inherited } = testEnvironment();

interface Case {
  name: string;
  command: string[];
  /** Time until the run of a command that does not wait has ended. The next command would wait for its container. */
  restMs?: number;
  wallSeconds: number[];
  cpuSeconds: number[];
}

const caseOf = (name: string, ...command: string[]): Case => ({ name, command, wallSeconds: [], cpuSeconds: [] });

async function environmentOf(home: string): Promise<Environment> {
  return {
    ...inherited,
    HOLDFAST_HOME: join(folder, home),
    TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}`,
    PORT: `${await freePort()}`,
    SERVER_PORT: `${await freePort()}`,
  };
}

async function measure(one: Case, environment: Environment): Promise<void> {
  const [program = '', ...args] = one.command;
  const spent = await cost(async () => {
    const { code, output } = await run(program, args, { environment, cwd: projectRoot });
    if (code !== 0) throw new Error(`${one.name} failed: ${output}`);
  });
  one.wallSeconds.push(spent.wallSeconds);
  one.cpuSeconds.push(spent.cpuSeconds);
  await delay(one.restMs);
}

/** The first round pays for cold caches and is not counted. */
async function measureAll(cases: readonly Case[], environment: Environment): Promise<void> {
  for (const one of cases) await measure({ ...one, wallSeconds: [], cpuSeconds: [] }, environment);
  for (let round = 0; round < rounds; round += 1) for (const one of cases) await measure(one, environment);
  for (const { name, cpuSeconds, wallSeconds } of cases) {
    report('start', name, { CPU: inUnit('s', ...cpuSeconds), time: inUnit('s', ...wallSeconds) });
  }
}

try {
  await measureAll(
    [
      caseOf('`holdfast encode`, 1 s, own stack', 'node', binary, 'encode', ...options),
      caseOf('`npm run encode`, 1 s, own stack', 'npm', '--silent', 'run', 'encode', '--', ...options),
    ],
    await environmentOf('own'),
  );
  const environment = await environmentOf('running');
  const start = new TestProcess('holdfast start', 'node', [binary, 'start'], environment);
  try {
    await start.until('ready stack', () => start.output.includes('Holdfast is ready.'), 60_000);
    const mediaRoot = /local files +(\S+)/.exec(start.output)?.[1] ?? '';
    await run('cp', [wav, join(mediaRoot, 'in.wav')]);
    const input = JSON.stringify({
      sourceUrl: `file://${mediaRoot}/in.wav`,
      outputs: [{ format: 'mp3_128', uploadUrl: `file://${mediaRoot}/out.mp3` }],
    });
    const address = environment['TEMPORAL_ADDRESS'] ?? '';
    const workflow = ['--address', address, '--type', 'encode', '--task-queue', 'holdfast', '--input', input];
    await measureAll(
      [
        caseOf('`holdfast encode`, 1 s, running stack', 'node', binary, 'encode', ...options),
        caseOf('`npm run encode`, 1 s, running stack', 'npm', '--silent', 'run', 'encode', '--', ...options),
        caseOf('`holdfast presets`', 'node', binary, 'presets'),
        { ...caseOf('`temporal workflow start`', temporal, 'workflow', 'start', ...workflow), restMs: 3_000 },
        caseOf('`temporal workflow execute`', temporal, 'workflow', 'execute', ...workflow),
      ],
      environment,
    );
  } finally {
    await start.stop('SIGTERM');
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
