import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { freePort } from '../support/ports.ts';
import { TestProcess, type Environment, type Exit } from '../support/process.ts';

/** The real set-up in a process of its own, on a machine that is made of fake programs on PATH. */

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const showTools = join(projectRoot, 'test/fixtures/setup/show-tools.mjs');
const isRoot = process.getuid?.() === 0;

let machine: string;
let bin: string;
let cache: string;

beforeEach(async () => {
  machine = await mkdtemp(join(tmpdir(), 'holdfast-setup-'));
  bin = join(machine, 'bin');
  cache = join(machine, 'cache');
  mkdirSync(bin);
  for (const name of ['sh', 'cat', 'cp', 'chmod', 'mkdir', 'sleep', 'touch', 'dirname', 'ln', 'rm']) {
    const real = ['/bin', '/usr/bin'].map((folder) => join(folder, name)).find(existsSync);
    if (real !== undefined) symlinkSync(real, join(bin, name));
  }
  program('ffmpeg');
  program('ffprobe');
});
afterEach(() => rm(machine, { recursive: true, force: true }));

/** An executable shell script; each call of it leaves a line in `<name>.calls`. */
function program(name: string, script = 'exit 0', folder = bin): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\necho "$@" >> "${path}.calls"\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

function calls(name: string): string[] {
  const file = join(bin, `${name}.calls`);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

interface Ended extends Exit {
  output: string;
  tools: {
    TEMPORAL_CLI_PATH?: string;
    TEMPORAL_TEST_SERVER_PATH?: string;
    RCLONE_PATH?: string;
    TOXIPROXY_PATH?: string;
    CHROMIUM_PATH?: string;
    args?: string[];
  };
}

function startScript(path: string, args: readonly string[], environment: Environment = {}): TestProcess {
  const own = { PATH: bin, HOME: machine, HOLDFAST_CACHE: cache, HOLDFAST_SDK_DOWNLOAD: '0', ...environment };
  return new TestProcess(path, process.execPath, [path, ...args], own, machine);
}

function start(args: readonly string[], environment?: Environment, root = projectRoot): TestProcess {
  return startScript(join(root, 'scripts/setup.mjs'), args, environment);
}

async function ended(setup: TestProcess): Promise<Ended> {
  const exit = await setup.exited;
  return { ...exit, output: setup.output, tools: (setup.logLines[0] ?? {}) as Ended['tools'] };
}

async function setUp(environment?: Environment, ...flags: string[]): Promise<Ended> {
  return await ended(start([...flags, showTools], environment));
}

/** What `go install` does: a program of the module's name in GOBIN. */
const goInstalls = (name: string) =>
  `printf '#!/bin/sh\\necho ${name} v1\\n' > "$GOBIN/${name}"; chmod +x "$GOBIN/${name}"`;

test('the Temporal CLI: by TEMPORAL_CLI_PATH, else from PATH, else from the cache, else built', async () => {
  program('go', goInstalls('temporal'));
  const built = await setUp();
  const cached = join(cache, 'temporal-v1.5.1/temporal');
  expect(built).toMatchObject({ code: 0, tools: { TEMPORAL_CLI_PATH: cached } });
  expect(built.output).toMatch(/Building the Temporal CLI with Go \(about 3 minutes, once on this machine/);
  expect(calls('go')).toEqual(['install -ldflags=-s -w github.com/temporalio/cli/cmd/temporal@v1.5.1']);
  expect(readdirSync(cache)).toEqual(['temporal-v1.5.1']);

  const again = await setUp();
  expect(again).toMatchObject({ code: 0, tools: { TEMPORAL_CLI_PATH: cached } });
  expect(again.output).not.toContain('Building');
  expect(calls('go')).toHaveLength(1);

  const onPath = program('temporal');
  expect((await setUp()).tools.TEMPORAL_CLI_PATH).toBe(onPath);
  const named = program('my-temporal', 'exit 0', join(machine, 'elsewhere'));
  expect((await setUp({ TEMPORAL_CLI_PATH: named })).tools.TEMPORAL_CLI_PATH).toBe(named);
});

test('a TEMPORAL_CLI_PATH that names nothing is an error and not a reason to build', async () => {
  program('go', goInstalls('temporal'));
  const failed = await setUp({ TEMPORAL_CLI_PATH: '/nowhere/temporal' });
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/TEMPORAL_CLI_PATH is "\/nowhere\/temporal", which is not an executable file/);
  expect(calls('go')).toEqual([]);
});

test('where Temporal runs on another machine, for a look at a limiter and for help, nothing is built', async () => {
  expect(await setUp({ TEMPORAL_ADDRESS: 'temporal.example.org:7233' })).toMatchObject({ code: 0 });
  const port = await freePort();
  const limiter = await ended(start(['cli/main.ts', 'limiter', 'a/b'], { TEMPORAL_ADDRESS: `127.0.0.1:${port}` }));
  expect(limiter).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^No Temporal server answers at /) as string,
  });
  const help = await ended(start(['cli/main.ts', 'encode', '--help']));
  expect(help.output).toMatch(/Usage: npm run encode -- <file-or-URL>/);
});

test('a build that fails leaves nothing in the cache, and says what Go said and what to do', async () => {
  program('go', 'touch "$GOBIN/temporal"; echo "cannot find module providing package" >&2; exit 1');
  const failed = await setUp();
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/failed:.*cannot find module providing package.*TEMPORAL_CLI_PATH.*TEMPORAL_ADDRESS/s);
  expect(readdirSync(cache)).toEqual([]);
});

test('a built program that does not run is not kept', async () => {
  program('go', 'printf "#!/bin/sh\\nexit 126\\n" > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"');
  const failed = await setUp();
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/was made but does not run/);
  expect(readdirSync(cache)).toEqual([]);
});

test('without Go there is a sentence', async () => {
  const failed = await setUp();
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/needs Go .*not on PATH.*Install the Temporal CLI/);
  expect(failed.output).not.toMatch(/^\s+at /m);
});

test('two set-ups at once build once', async () => {
  program('go', `sleep 1; ${goInstalls('temporal')}`);
  const both = await Promise.all([setUp(), setUp()]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(calls('go')).toHaveLength(1);
  expect(both.map(({ output }) => output).join('\n')).toMatch(/Another set-up \(process \d+\) is at .*; waiting/);
});

test('the lock of a set-up that was killed holds up nobody, nor does a build that is stopped go on', async () => {
  program('go', 'exec sleep 20');
  const first = start([showTools]);
  await first.until('call of go', () => calls('go').length === 1);
  expect(await first.stop('SIGTERM')).toEqual({ code: 143, signal: null });
  expect(readdirSync(cache)).not.toContain('temporal.lock');

  const second = start([showTools]);
  await second.until('call of go', () => calls('go').length === 2);
  await second.stop('SIGKILL');
  program('go', goInstalls('temporal'));
  expect(await setUp()).toMatchObject({ code: 0 });
});

test('ffmpeg is missing: apt-get where that is possible, else a sentence', async () => {
  program('temporal');
  rmSync(join(bin, 'ffprobe'));
  const failed = await setUp();
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/ffprobe is not on PATH\. Install FFmpeg/);

  if (!isRoot) return;
  // Package lists are fetched when the install cannot be planned without.
  program(
    'apt-get',
    `case "$*" in
       *--simulate*) test -e "${machine}/lists" ;;
       update*) touch "${machine}/lists" ;;
       *) cp "${bin}/ffmpeg" "${bin}/ffprobe" ;;
     esac`,
  );
  const installed = await setUp();
  expect(installed, installed.output).toMatchObject({ code: 0 });
  expect(calls('apt-get').map((call) => call.split(' ')[0])).toEqual(['install', 'update', 'install']);
});

test('without a script all tools of the tests are made, and the next script is handed them', async () => {
  program('temporal');
  program('java');
  program('chromium');
  program('mvn', 'mkdir lib; touch lib/server.jar');
  program('rclone', 'echo rclone v1.60.1-DEV');
  program('go', `case "$*" in *toxiproxy*) ${goInstalls('server')} ;; *) ${goInstalls('rclone')} ;; esac`);
  const made = await ended(start(['--test-tools']));
  expect(made.code, made.output).toBe(0);
  const { tools } = await setUp({}, '--test-tools');
  expect(tools.RCLONE_PATH).toBe(join(cache, 'rclone-v1.71.2/rclone'));
  expect(tools.TOXIPROXY_PATH).toBe(join(cache, 'toxiproxy-server-v2.12.0/toxiproxy-server'));
  expect(tools.CHROMIUM_PATH).toBe(join(bin, 'chromium'));
  expect(tools.TEMPORAL_TEST_SERVER_PATH).toBe(join(cache, 'temporal-test-server-1.31.0/temporal-test-server'));
  expect(existsSync(join(cache, 'temporal-test-server-1.31.0/lib/server.jar'))).toBe(true);

  program('rclone', 'echo rclone v1.65.0');
  expect((await setUp({}, '--test-tools')).tools.RCLONE_PATH).toBe(join(bin, 'rclone'));
  expect(calls('mvn')).toHaveLength(1);
  expect(readdirSync(cache).filter((name) => name.endsWith('.lock'))).toEqual([]);
});

/** All tools of the tests but rclone. */
function allButRclone(): void {
  for (const name of ['temporal', 'temporal-test-server', 'toxiproxy-server', 'chromium']) program(name);
}

test('a script starts while a tool of the tests is being built, and whoever asks for the tool waits for that build', async () => {
  allButRclone();
  const environment = { TEMPORAL_TEST_SERVER_PATH: join(bin, 'temporal-test-server') };
  program('go', `while ! [ -e "${machine}/go-on" ]; do sleep 0.05; done; ${goInstalls('rclone')}`);
  const script = start(['--test-tools', showTools, 'wait'], environment);
  await script.until('running script', () => script.logLines.length > 0);
  expect(script.logLines[0]).not.toHaveProperty('RCLONE_PATH');
  await script.until('call of go', () => calls('go').length === 1);

  const tool = startScript(join(projectRoot, 'scripts/setup/tool.mjs'), ['RCLONE_PATH'], environment);
  await tool.until('sentence', () => /Another set-up \(process \d+\) is at .*rclone.*; waiting/.test(tool.output));
  writeFileSync(join(machine, 'go-on'), '');
  expect(await tool.exited).toEqual({ code: 0, signal: null });
  expect(tool.output.split('\n').at(-1)).toBe(join(cache, 'rclone-v1.71.2/rclone'));
  expect(calls('go')).toHaveLength(1);
  await script.stop();
});

test('a build beside a script ends with the script', async () => {
  allButRclone();
  const environment = { TEMPORAL_TEST_SERVER_PATH: join(bin, 'temporal-test-server') };
  program('go', `echo $$ > "${machine}/go.pid"; exec sleep 20`);
  const script = start(['--test-tools', showTools, 'wait'], environment);
  await script.until('running script', () => script.logLines.length > 0);
  await script.until('build', () => existsSync(join(machine, 'go.pid')));
  expect(await script.stop('SIGTERM')).toEqual({ code: 41, signal: null });
  const pid = Number(readFileSync(join(machine, 'go.pid'), 'utf8'));
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 10_000);
  await vi.waitFor(() => expect(readdirSync(cache)).toEqual([]), 10_000);
});

test('two builds with Go are made one after the other', async () => {
  for (const name of ['temporal', 'temporal-test-server', 'chromium']) program(name);
  const environment = { TEMPORAL_TEST_SERVER_PATH: join(bin, 'temporal-test-server') };
  program(
    'go',
    `mkdir "${machine}/building" || exit 1; sleep 0.3
     case "$*" in *toxiproxy*) ${goInstalls('server')} ;; *) ${goInstalls('rclone')} ;; esac
     rm -r "${machine}/building"`,
  );
  const made = await ended(start(['--test-tools'], environment));
  expect(made.code, made.output).toBe(0);
  expect(calls('go')).toHaveLength(2);
});

test("the script's arguments, exit code and signals pass through", async () => {
  program('temporal');
  const exited = await ended(start([showTools, 'exit', '7', '--format', 'a b']));
  expect(exited).toMatchObject({ code: 7, tools: { args: ['exit', '7', '--format', 'a b'] } });

  const waiting = start([showTools, 'wait']);
  await waiting.until('running script', () => waiting.logLines.length > 0);
  expect(await waiting.stop('SIGTERM')).toEqual({ code: 41, signal: null });
});

test('npm packages are installed when they are not what the lock file says, and only then', async () => {
  program('temporal');
  const project = join(machine, 'project');
  cpSync(join(projectRoot, 'scripts'), join(project, 'scripts'), { recursive: true });
  const lock = (version: string) =>
    JSON.stringify({
      packages: { '': {}, 'node_modules/a': { version }, 'node_modules/b': { version: '1', optional: true } },
    });
  writeFileSync(join(project, 'package-lock.json'), lock('1.0.0'));
  program(
    'npm',
    `echo "omit=$npm_config_omit node_env=$NODE_ENV registry=$npm_config_registry" >> "${bin}/npm.environment"
     mkdir -p node_modules/.bin && ln -sf "${process.execPath}" node_modules/.bin/node
     cp package-lock.json node_modules/.package-lock.json`,
  );
  const inProject = () =>
    ended(
      start(
        [showTools],
        { npm_config_omit: 'dev', NODE_ENV: 'production', npm_config_registry: 'http://mirror/' },
        project,
      ),
    );

  expect(await inProject()).toMatchObject({ code: 0 });
  expect(calls('npm')).toEqual(['ci --include=dev --include=optional --ignore-scripts=false --no-audit --no-fund']);
  expect(readFileSync(join(bin, 'npm.environment'), 'utf8')).toBe('omit= node_env= registry=http://mirror/\n');
  await inProject();
  expect(calls('npm')).toHaveLength(1);

  // Somebody ran `npm install` by hand.
  writeFileSync(join(project, 'package-lock.json'), lock('2.0.0'));
  writeFileSync(
    join(project, 'node_modules/.package-lock.json'),
    JSON.stringify({ packages: { 'node_modules/a': { version: '2.0.0' } } }),
  );
  await inProject();
  expect(calls('npm')).toHaveLength(1);

  // A pull brought another version.
  writeFileSync(join(project, 'package-lock.json'), lock('3.0.0'));
  await inProject();
  expect(calls('npm')).toHaveLength(2);

  // An install that was broken off.
  rmSync(join(project, 'node_modules/.holdfast-setup'));
  rmSync(join(project, 'node_modules/.package-lock.json'));
  await inProject();
  expect(calls('npm')).toHaveLength(3);
});
