import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { FakeMachine, goInstalls, resultOf, showTools } from '../fake-machine.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

let machine: FakeMachine;

/** Mimics `go install` for each module of the tools. */
const goBuilds = `case "$*" in *toxiproxy*) ${goInstalls('server')} ;; *versitygw*) ${goInstalls('versitygw')} ;; *) ${goInstalls('rclone')} ;; esac`;

beforeEach(async () => {
  machine = await stopAfterTest(FakeMachine.make());
});
test('set-up without a script makes all tools of the tests, and the next script receives them', async () => {
  machine.addProgram('temporal');
  machine.addProgram('java');
  machine.addProgram('chromium');
  machine.addProgram('mvn', 'mkdir lib; touch lib/server.jar');
  machine.addProgram('rclone', 'echo rclone v1.60.1-DEV');
  machine.addProgram('go', goBuilds);
  const made = await resultOf(machine.start(['--test-tools']));
  expect(made.code, made.output).toBe(0);
  const { tools } = await machine.setUp({}, '--test-tools');
  expect(tools.RCLONE_PATH).toBe(join(machine.cache, 'rclone-v1.71.2/rclone'));
  expect(tools.TOXIPROXY_PATH).toBe(join(machine.cache, 'toxiproxy-server-v2.12.0/toxiproxy-server'));
  expect(tools.VERSITYGW_PATH).toBe(join(machine.cache, 'versitygw-v1.8.0/versitygw'));
  expect(tools.CHROMIUM_PATH).toBe(join(machine.bin, 'chromium'));
  expect(tools.TEMPORAL_TEST_SERVER_PATH).toBe(
    join(machine.cache, 'temporal-test-server-1.31.0-1/temporal-test-server'),
  );
  expect(existsSync(join(machine.cache, 'temporal-test-server-1.31.0-1/lib/server.jar'))).toBe(true);

  machine.addProgram('rclone', 'echo rclone v1.65.0');
  expect((await machine.setUp({}, '--test-tools')).tools.RCLONE_PATH).toBe(join(machine.bin, 'rclone'));
  expect(machine.calls('mvn')).toHaveLength(1);
  expect(readdirSync(machine.cache).filter((name) => name.endsWith('.lock'))).toEqual([]);
});

/** Adds all tools of the tests except rclone. */
function allButRclone(): void {
  for (const name of ['temporal', 'temporal-test-server', 'toxiproxy-server', 'versitygw', 'chromium']) {
    machine.addProgram(name);
  }
}

test('a script starts while a tool of the tests is built, and a user of the tool waits for that build', async () => {
  allButRclone();
  const environment = { TEMPORAL_TEST_SERVER_PATH: join(machine.bin, 'temporal-test-server') };
  machine.addProgram('go', `while ! [ -e "${machine.folder}/go-on" ]; do sleep 0.05; done; ${goInstalls('rclone')}`);
  const script = machine.start(['--test-tools', showTools, 'wait'], environment);
  await script.until('running script', () => script.logLines.length > 0);
  expect(script.logLines[0]).not.toHaveProperty('RCLONE_PATH');
  await script.until('call of go', () => machine.calls('go').length === 1);

  const tool = machine.startTool(['RCLONE_PATH'], environment);
  await tool.until('sentence', () => /Another set-up \(process \d+\) is at .*rclone.*; waiting/.test(tool.output));
  writeFileSync(join(machine.folder, 'go-on'), '');
  expect(await tool.exited).toEqual({ code: 0, signal: null });
  expect(tool.output.split('\n').at(-1)).toBe(join(machine.cache, 'rclone-v1.71.2/rclone'));
  expect(machine.calls('go')).toHaveLength(1);
  await script.stop();
});

test('a build beside a script ends with the script', async () => {
  allButRclone();
  const environment = { TEMPORAL_TEST_SERVER_PATH: join(machine.bin, 'temporal-test-server') };
  machine.addProgram('go', `echo $$ > "${machine.folder}/go.pid"; exec sleep 20`);
  const script = machine.start(['--test-tools', showTools, 'wait'], environment);
  await script.until('running script', () => script.logLines.length > 0);
  const pidFile = join(machine.folder, 'go.pid');
  // The shell creates the file before it writes into it.
  const readPid = () => existsSync(pidFile) && (Number(readFileSync(pidFile, 'utf8')) || false);
  const pid = await script.until('build', readPid);
  expect(await script.stop('SIGTERM')).toEqual({ code: 41, signal: null });
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 10_000);
  await vi.waitFor(() => expect(readdirSync(machine.cache)).toEqual([]), 10_000);
});

test('builds with Go run one after the other', async () => {
  for (const name of ['temporal', 'temporal-test-server', 'chromium']) machine.addProgram(name);
  const environment = { TEMPORAL_TEST_SERVER_PATH: join(machine.bin, 'temporal-test-server') };
  machine.addProgram(
    'go',
    `mkdir "${machine.folder}/building" || exit 1; sleep 0.3
     ${goBuilds}
     rm -r "${machine.folder}/building"`,
  );
  const made = await resultOf(machine.start(['--test-tools'], environment));
  expect(made.code, made.output).toBe(0);
  expect(machine.calls('go')).toHaveLength(3);
});

test('mutagen is installed once by a Python, and without one a sentence says what to do', async () => {
  const environment = { MUTAGEN_PYTHON: '' };
  const without = machine.startTool(['MUTAGEN_PYTHON'], environment);
  expect(await without.exited).toEqual({ code: 1, signal: null });
  expect(without.output).toMatch(
    /Installing mutagen.* needs python3, which is not on PATH\. Install Python 3 with its module/,
  );

  const own = 'mkdir -p "$4/bin"; printf \'#!/bin/sh\\nexit 0\\n\' > "$4/bin/python"; chmod +x "$4/bin/python"';
  machine.addProgram('python3', own);
  const path = join(machine.cache, 'mutagen-1.48.1/bin/python');
  for (const _ of ['installs', 'finds']) {
    const tool = machine.startTool(['MUTAGEN_PYTHON'], environment);
    expect(await tool.exited, tool.output).toEqual({ code: 0, signal: null });
    expect(tool.output.split('\n').at(-1)).toBe(path);
  }
  expect(machine.calls('python3')).toEqual([`-m venv --clear ${join(machine.cache, 'mutagen-1.48.1')}`]);
});

test.each([
  ['Failed to establish a new connection: NewConnectionError', 'PyPI cannot be reached from this machine.'],
  ['No matching distribution found for av==18.1.0', 'Install Python 3.11 to 3.14 with its module venv'],
])('a transcriber that pip cannot install because of "%s" says what to do', async (reason, remedy) => {
  const python = `mkdir -p "$4/bin"; printf '#!/bin/sh\\necho "${reason}"; exit 1\\n' > "$4/bin/python"; chmod +x "$4/bin/python"`;
  machine.addProgram('python3', python);
  const { code, output } = await resultOf(machine.startTool(['TRANSCRIBER_PYTHON'], { TRANSCRIBER_PYTHON: '' }));
  expect(code).toBe(1);
  expect(output.split('\n').at(-1)).toMatch(new RegExp(`^${remedy}`));
});
