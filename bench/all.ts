/**
 * Runs all benches, one after the other, and keeps their figures in docs/figures.json; `npm run docs:tables` writes them
 * into the documents. A failed bench keeps its earlier figures. `npm run bench:all -- [--only name,…] [--to file]`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { format } from 'prettier';
import { toolPath } from '../test/support/tools.ts';
import { type Figures, figuresFile, type Row, type Run } from './figures.ts';

/** Commands by the name of their run; short ones come first. */
const benches: Readonly<Record<string, string>> = {
  start: 'bench:start -- 5',
  sandbox: 'bench:sandbox',
  traces: 'bench:traces',
  download: 'bench:download',
  'server-list': 'bench:server-list',
  'server-list-postgres': 'bench:server-list -- 100000 200 postgres',
  limiter: 'bench:limiter',
  queue: 'bench:queue',
  'queue-2': 'bench:queue -- 2',
  clips: 'bench:clips -- 60 5',
  memory: 'bench:memory',
  'large-requests': 'bench:large-requests',
  recovery: 'bench:recovery -- 5',
  admission: 'bench:admission -- 5',
  stores: 'bench:stores -- 4096',
  deliver: 'bench:deliver',
  overhead: 'bench:overhead',
  phases: 'bench:phases',
  transcribe: 'bench:transcribe',
  loudness: 'bench:loudness -- 240 5',
  'server-viewers': 'bench:server-viewers -- 500 5',
  rollout: 'bench:rollout',
  seams: 'bench:seams',
  'video-30': 'bench:video -- 30 5 h264 sizes memory',
  'video-60': 'bench:video -- 60 5 h264',
  'video-60-hevc': 'bench:video -- 60 5 hevc',
  'video-60-av1': 'bench:video -- 60 5 av1',
  'package-20': 'bench:package -- 20 5',
  'package-60': 'bench:package -- 60 5',
  parallel: 'bench:parallel -- 3600 5 parallel',
  'parallel-others': 'bench:parallel -- 3600 5 parallel-others',
  'parallel-cores': 'bench:parallel -- 3600 5 parallel-short parallel-cores',
  estimate: 'bench:estimate',
  'spread-400': 'bench:spread -- 400 1 2 1 100 h264',
  'spread-2': 'bench:spread -- 40 1 2 1 20 h264 hevc av1 vp9 ladder mp3 opus',
  'spread-4-sound': 'bench:spread -- 80 1 4 0.5 20 mp3 opus',
  'spread-4': 'bench:spread -- 400 1 4 0.5 100 h264',
  'long-film': 'check:long-film',
  'video-600': 'bench:video -- 600 5 h264',
};

const { only, to = figuresFile } = parseArgs({
  options: { only: { type: 'string' }, to: { type: 'string' } },
}).values;
const names = only?.split(',') ?? Object.keys(benches);
const unknown = names.filter((name) => !(name in benches));
if (unknown.length > 0) {
  throw new Error(`No bench is called ${unknown.join(' or ')}. Choose of ${Object.keys(benches).join(', ')}`);
}

const output = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: 'utf8' }).trim();
const versions = {
  node: process.version,
  ffmpeg: /version (\S+)/.exec(output('ffmpeg', '-version'))?.[1] ?? '',
  temporal: /version (\S+)/.exec(output(await toolPath('TEMPORAL_CLI_PATH'), '--version'))?.[1] ?? '',
};
const commit = output('git', 'describe', '--always', '--dirty');
const folder = await mkdtemp(join(tmpdir(), 'holdfast-figures-'));

/** Waits until the load of the last bench is gone. Other work may keep it up, so the wait has a limit. */
async function untilQuiet(): Promise<void> {
  for (let waited = 0; waited < 180 && (loadavg()[0] ?? 0) > 0.5; waited += 5) await delay(5_000);
}

async function runBench(name: string, command: string): Promise<Run & { loadBefore: number }> {
  const [loadBefore = 0] = loadavg();
  const [script = '', ...args] = command.split(' ');
  const file = join(folder, name);
  const environment = { ...process.env, FIGURES_FILE: file };
  const bench = spawn('npm', ['run', script, ...args], { env: environment, stdio: 'inherit' });
  const [code] = await once(bench, 'exit');
  if (code !== 0) throw new Error(`${name} ended with status ${code}`);
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  const [processor] = cpus();
  return {
    ...{ command: `npm run ${command}`, commit, date: new Date().toISOString().slice(0, 10) },
    cores: availableParallelism(),
    machine: { processor: processor?.model ?? '', memoryGiB: Math.round(totalmem() / 1024 ** 3) },
    loadBefore: Math.round(loadBefore * 10) / 10,
    versions,
    rows: lines.map((line) => JSON.parse(line) as Row),
  };
}

const ends: string[] = [];
for (const name of names) {
  console.log(`\n${name} (${ends.length + 1} of ${names.length})`);
  try {
    if (ends.length > 0) await untilQuiet();
    const run = await runBench(name, benches[name] ?? '');
    const kept = JSON.parse(await readFile(to, 'utf8').catch(() => '{}')) as Figures;
    await writeFile(to, await format(JSON.stringify({ ...kept, [name]: run }), { parser: 'json', printWidth: 120 }));
    ends.push(
      `${name}: ${run.rows.length} figures${run.loadBefore > 1 ? `, on a busy machine (load ${run.loadBefore})` : ''}`,
    );
  } catch (error) {
    process.exitCode = 1;
    ends.push(`${name}: FAILED, ${String(error)}`);
  }
}
await rm(folder, { recursive: true });
console.log(`\n${ends.join('\n')}\nThe figures are in ${to}.`);
