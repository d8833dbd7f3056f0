import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run, testEnvironment } from '../support/process.ts';

const program = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** Prints the paths of all CommonJS modules when the process exits. */
const printModules = `
  import { createRequire } from 'node:module';
  process.on('exit', () => console.error(Object.keys(createRequire('/').cache).join(' ')));
`;

async function packagesLoadedBy(command: string, expectedCode: number): Promise<Set<string>> {
  const preload = `--import=data:text/javascript,${encodeURIComponent(printModules)}`;
  const environment = testEnvironment({ NODE_OPTIONS: preload });
  const { code, output } = await run(process.execPath, [program, ...command.split(' ')], { environment });
  expect(code, output).toBe(expectedCode);
  return new Set(output.match(/(?<=node_modules\/)(?:@[^/\s]+\/)?[^/\s]+(?=\/)/g));
}

test.each([
  ['--help', 0],
  ['encode --help', 0],
  ['presets', 0],
  ['completion bash', 0],
  ['encode missing.wav', 1],
])('`holdfast %s` starts without the clients of Temporal and of HTTP', async (command, code) => {
  const packages = await packagesLoadedBy(command, code);
  // Every command reads Temporal's settings.
  expect(packages).toContain('@temporalio/envconfig');
  for (const name of ['@temporalio/client', '@temporalio/proto', '@grpc/grpc-js', 'undici']) {
    expect(packages).not.toContain(name);
  }
});
