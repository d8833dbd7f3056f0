import { cpSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { freePort } from '../support/ports.ts';
import type { Environment } from '../support/process.ts';
import { FakeMachine, goInstalls, projectRoot, resultOf, showTools } from './fake-machine.ts';
import { stopAfterTest } from '../support/stop-after-all.ts';

const isRoot = process.getuid?.() === 0;
const matching = (pattern: RegExp): string => expect.stringMatching(pattern) as string;

let machine: FakeMachine;

beforeEach(async () => {
  machine = await stopAfterTest(FakeMachine.make());
});
test('the Temporal CLI comes from TEMPORAL_CLI_PATH, PATH or the cache, and is built otherwise', async () => {
  machine.addProgram('go', goInstalls('temporal'));
  const built = await machine.setUp();
  const cached = join(machine.cache, 'temporal-v1.5.1/temporal');
  expect(built).toMatchObject({ code: 0, tools: { TEMPORAL_CLI_PATH: cached } });
  expect(built.output).toMatch(/Building the Temporal CLI with Go \(about 3 minutes, once on this machine/);
  expect(machine.calls('go')).toEqual(['install -ldflags=-s -w github.com/temporalio/cli/cmd/temporal@v1.5.1']);
  expect(readdirSync(machine.cache)).toEqual(['temporal-v1.5.1']);

  const again = await machine.setUp();
  expect(again).toMatchObject({ code: 0, tools: { TEMPORAL_CLI_PATH: cached } });
  expect(again.output).not.toContain('Building');
  expect(machine.calls('go')).toHaveLength(1);

  const onPath = machine.addProgram('temporal');
  expect((await machine.setUp()).tools.TEMPORAL_CLI_PATH).toBe(onPath);
  const named = machine.addProgram('my-temporal', 'exit 0', join(machine.folder, 'elsewhere'));
  expect((await machine.setUp({ TEMPORAL_CLI_PATH: named })).tools.TEMPORAL_CLI_PATH).toBe(named);
});

test('a TEMPORAL_CLI_PATH that names nothing is an error and starts no build', async () => {
  machine.addProgram('go', goInstalls('temporal'));
  const failed = await machine.setUp({ TEMPORAL_CLI_PATH: '/nowhere/temporal' });
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/TEMPORAL_CLI_PATH is "\/nowhere\/temporal", which is not an executable file/);
  expect(machine.calls('go')).toEqual([]);
});

test('nothing is built for a Temporal on another machine, for a look at a limiter, or for help', async () => {
  expect(await machine.setUp({ TEMPORAL_ADDRESS: 'temporal.example.org:7233' })).toMatchObject({ code: 0 });
  const port = await freePort();
  const limiter = await resultOf(
    machine.start(['cli/main.ts', 'limiter', 'a/b'], { TEMPORAL_ADDRESS: `127.0.0.1:${port}` }),
  );
  expect(limiter).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^No Temporal server answers at /) as string,
  });
  const help = await resultOf(machine.start(['cli/main.ts', 'encode', '--help']));
  expect(help.output).toMatch(/Usage: holdfast encode <file-folder-or-URL>/);
});

test('a failed build leaves nothing in the cache and reports Go’s message and the remedy', async () => {
  machine.addProgram('go', 'touch "$GOBIN/temporal"; echo "cannot find module providing package" >&2; exit 1');
  const failed = await machine.setUp();
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/failed:.*cannot find module providing package.*TEMPORAL_CLI_PATH.*TEMPORAL_ADDRESS/s);
  expect(readdirSync(machine.cache)).toEqual([]);
});

test('a built program that does not run is not kept', async () => {
  machine.addProgram('go', 'printf "#!/bin/sh\\nexit 126\\n" > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"');
  const failed = await machine.setUp();
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/was made but does not run/);
  expect(readdirSync(machine.cache)).toEqual([]);
});

test('a sentence says what to install if a build needs Go and there is none', async () => {
  const failed = await machine.setUp();
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/needs Go .*not on PATH.*Install the Temporal CLI/);
  expect(failed.output).not.toMatch(/^\s+at /m);
});

test('two set-ups at the same time build a program once', async () => {
  const goOn = join(machine.folder, 'go-on');
  machine.addProgram('go', `until [ -e ${goOn} ]; do sleep 0.1; done; ${goInstalls('temporal')}`);
  const first = machine.start([showTools]);
  await first.until('call of go', () => machine.calls('go').length === 1);
  const second = machine.start([showTools]);
  await second.until('wait for the first', () =>
    /Another set-up \(process \d+\) is at .*; waiting/.test(second.output),
  );
  writeFileSync(goOn, '');
  expect(await Promise.all([resultOf(first), resultOf(second)])).toMatchObject([{ code: 0 }, { code: 0 }]);
  expect(machine.calls('go')).toHaveLength(1);
});

test('a stopped set-up ends its build, and the lock of a killed set-up blocks nobody', async () => {
  machine.addProgram('go', 'exec sleep 20');
  const first = machine.start([showTools]);
  await first.until('call of go', () => machine.calls('go').length === 1);
  expect(await first.stop('SIGTERM')).toEqual({ code: 143, signal: null });
  expect(readdirSync(machine.cache)).not.toContain('temporal.lock');

  const second = machine.start([showTools]);
  await second.until('call of go', () => machine.calls('go').length === 2);
  await second.stop('SIGKILL');
  machine.addProgram('go', goInstalls('temporal'));
  expect(await machine.setUp()).toMatchObject({ code: 0 });
});

test('a missing ffmpeg is installed by apt-get if possible, and otherwise requested in a sentence', async () => {
  machine.addProgram('temporal');
  rmSync(join(machine.bin, 'ffprobe'));
  const failed = await machine.setUp();
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/ffprobe is not on PATH\. Install FFmpeg/);

  if (!isRoot) return;
  // Package lists are fetched only if the install cannot be planned without them.
  machine.addProgram(
    'apt-get',
    `case "$*" in
       *--simulate*) test -e "${machine.folder}/lists" ;;
       update*) touch "${machine.folder}/lists" ;;
       *) cp "${machine.bin}/ffmpeg" "${machine.bin}/ffprobe" ;;
     esac`,
  );
  const installed = await machine.setUp();
  expect(installed, installed.output).toMatchObject({ code: 0 });
  expect(machine.calls('apt-get').map((call) => call.split(' ')[0])).toEqual(['install', 'update', 'install']);
});

test('programs that a person must install are reported before the minutes of the npm packages', async () => {
  const project = join(machine.folder, 'project');
  cpSync(join(projectRoot, 'scripts'), join(project, 'scripts'), { recursive: true });
  writeFileSync(join(project, 'package-lock.json'), '{}');
  machine.addProgram('npm');
  const inProject = (environment: Environment) => resultOf(machine.start([showTools], environment, project));

  const underNode18 = {
    NODE_OPTIONS: `--import=data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'18.20.0'}})`,
  };
  const refused = await inProject(underNode18);
  expect(refused.code).toBe(1);
  expect(refused.output).toMatch('This is Node 18.20.0. Install Node 20 or newer');
  expect(machine.calls('npm')).toEqual([]);
  expect((await inProject({})).output).toMatch('Installing the npm packages');

  const calls = machine.calls('npm').length;
  machine.addProgram('apt-get', 'exit 1');
  rmSync(join(machine.bin, 'ffmpeg'));
  expect((await inProject({})).output).toMatch(/Install FFmpeg/i);
  expect(machine.calls('npm')).toHaveLength(calls);
});

test('packages that an old npm leaves out are installed by a newer one', async () => {
  const project = join(machine.folder, 'project');
  cpSync(join(projectRoot, 'scripts'), join(project, 'scripts'), { recursive: true });
  const node = { 'node_modules/node': { version: '24.0.0' } };
  const native = { version: '1.0.0', optional: true, cpu: [process.arch] };
  const ofHere = { 'node_modules/native-here': { ...native, os: [process.platform] } };
  const ofOthers = { 'node_modules/native-there': { ...native, os: ['aix'] } };
  const lockOf = (packages: object) => JSON.stringify({ packages });
  writeFileSync(join(project, 'package-lock.json'), lockOf({ '': {}, ...node, ...ofHere, ...ofOthers }));
  const installs = (packages: object) =>
    `mkdir -p node_modules/.bin; ln -sf ${process.execPath} node_modules/.bin/node; echo '${lockOf(packages)}' > node_modules/.package-lock.json`;
  const newer = machine.addProgram('newer-node', installs({ ...node, ...ofHere }));
  machine.addProgram(
    'npm',
    `case "$1" in ci) ${installs(node)} ;; *) mkdir -p "$3/node_modules/.bin"; cp ${newer} "$3/node_modules/.bin/node" ;; esac`,
  );
  machine.addProgram('temporal');
  const done = await resultOf(machine.start([showTools], {}, project));
  expect(done, done.output).toMatchObject({ code: 0 });
  expect(machine.calls('npm')).toMatchObject([/^ci /, /^install --prefix .* npm@[\d.]+ node@24\.0\.0$/].map(matching));
  expect(machine.calls('newer-node')).toMatchObject([/npm\/bin\/npm-cli\.js ci /].map(matching));
  expect(readdirSync(machine.cache)).toEqual([]);

  // Everything exists: npm has nothing to do.
  expect(await resultOf(machine.start([showTools], {}, project))).toMatchObject({ code: 0 });
  expect(machine.calls('npm')).toHaveLength(2);
});

test('the script gets the arguments and signals, and the command returns its exit code', async () => {
  machine.addProgram('temporal');
  const exited = await resultOf(machine.start([showTools, 'exit', '7', '--format', 'a b']));
  expect(exited).toMatchObject({ code: 7, tools: { args: ['exit', '7', '--format', 'a b'] } });

  const waiting = machine.start([showTools, 'wait']);
  await waiting.until('running script', () => waiting.logLines.length > 0);
  expect(await waiting.stop('SIGTERM')).toEqual({ code: 41, signal: null });
});

test('npm packages are installed only if they differ from the lock file', async () => {
  machine.addProgram('temporal');
  const project = join(machine.folder, 'project');
  cpSync(join(projectRoot, 'scripts'), join(project, 'scripts'), { recursive: true });
  const lock = (version: string) =>
    JSON.stringify({
      packages: { '': {}, 'node_modules/a': { version }, 'node_modules/b': { version: '1', optional: true } },
    });
  writeFileSync(join(project, 'package-lock.json'), lock('1.0.0'));
  machine.addProgram(
    'npm',
    `echo "omit=$npm_config_omit node_env=$NODE_ENV registry=$npm_config_registry" >> "${machine.bin}/npm.environment"
     mkdir -p node_modules/.bin && ln -sf "${process.execPath}" node_modules/.bin/node
     cp package-lock.json node_modules/.package-lock.json`,
  );
  const inProject = () =>
    resultOf(
      machine.start(
        [showTools],
        { npm_config_omit: 'dev', NODE_ENV: 'production', npm_config_registry: 'http://mirror/' },
        project,
      ),
    );

  expect(await inProject()).toMatchObject({ code: 0 });
  expect(machine.calls('npm')).toEqual([
    'ci --include=dev --include=optional --ignore-scripts=false --no-audit --no-fund',
  ]);
  expect(readFileSync(join(machine.bin, 'npm.environment'), 'utf8')).toBe('omit= node_env= registry=http://mirror/\n');
  await inProject();
  expect(machine.calls('npm')).toHaveLength(1);

  // A person ran `npm install`.
  writeFileSync(join(project, 'package-lock.json'), lock('2.0.0'));
  writeFileSync(
    join(project, 'node_modules/.package-lock.json'),
    JSON.stringify({ packages: { 'node_modules/a': { version: '2.0.0' } } }),
  );
  await inProject();
  expect(machine.calls('npm')).toHaveLength(1);

  // A pull brought another version.
  writeFileSync(join(project, 'package-lock.json'), lock('3.0.0'));
  await inProject();
  expect(machine.calls('npm')).toHaveLength(2);

  // An install was interrupted.
  rmSync(join(project, 'node_modules/.holdfast-setup'));
  rmSync(join(project, 'node_modules/.package-lock.json'));
  await inProject();
  expect(machine.calls('npm')).toHaveLength(3);
});

test('a changed script runs its new code, whatever its compiled form in the cache', async () => {
  machine.addProgram('temporal');
  const compileCache = join(machine.folder, 'compiled');
  const script = join(machine.folder, 'script.ts');
  const outputOf = async (code: string) => {
    writeFileSync(script, code);
    // The size and the times of the file do not tell that it has changed.
    utimesSync(script, 0, 0);
    return (await resultOf(machine.start([script], { NODE_COMPILE_CACHE: compileCache }))).output;
  };
  expect(await outputOf(`console.log('old' satisfies string)`)).toBe('old');
  expect(readdirSync(compileCache, { recursive: true }).length).toBeGreaterThan(1);
  expect(await outputOf(`console.log('new' satisfies string)`)).toBe('new');
});

test('a package that npm installed runs from a copy, whose TypeScript Node can read', async () => {
  const installed = join(machine.folder, 'node_modules/holdfast');
  cpSync(join(projectRoot, 'scripts'), join(installed, 'scripts'), { recursive: true });
  cpSync(showTools, join(installed, 'cli/main.ts'));
  writeFileSync(join(installed, 'package.json'), '{}');
  writeFileSync(join(installed, 'npm-shrinkwrap.json'), '{"packages":{}}');
  machine.addProgram(
    'npm',
    `mkdir -p node_modules/.bin && ln -sf "${process.execPath}" node_modules/.bin/node
     cp package-lock.json node_modules/.package-lock.json`,
  );
  machine.addProgram('temporal');
  const inPackage = () => resultOf(machine.startScript(join(installed, 'scripts/holdfast.mjs'), ['encode', 'a b']));

  const first = await inPackage();
  expect(first, first.output).toMatchObject({ code: 0, tools: { args: ['encode', 'a b'] } });
  expect(first.output).toContain('Copying Holdfast from');
  const again = await inPackage();
  expect(again).toMatchObject({ code: 0 });
  expect(again.output).not.toContain('Copying');
  expect(machine.calls('npm')).toHaveLength(1);

  const unwritable = resultOf(
    machine.startScript(join(installed, 'scripts/holdfast.mjs'), ['encode'], { HOLDFAST_CACHE: '/dev/null/cache' }),
  );
  expect(await unwritable).toMatchObject({
    code: 1,
    output: expect.stringMatching(/Holdfast set-up: The package in .* cannot be copied .*: ENOTDIR/) as string,
  });

  // npm replaces the files of a package that it installs again.
  rmSync(join(installed, 'package.json'));
  writeFileSync(join(installed, 'package.json'), '{}');
  writeFileSync(join(installed, 'cli/main.ts'), 'process.exitCode = 7;');
  expect(await inPackage()).toMatchObject({ code: 7 });
  expect(readdirSync(join(machine.cache, 'installs'))).toHaveLength(1);
  expect(machine.calls('npm')).toHaveLength(1);
});
