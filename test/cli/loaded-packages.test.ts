import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run, testEnvironment } from '../support/process.ts';

const program = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** Prints the paths of all CommonJS modules when the process exits. */
const printModules = `
  import { createRequire } from 'node:module';
  process.on('exit', () => console.error(Object.keys(createRequire('/').cache).join(' ')));
`;

async function packagesLoadedBy(command: string): Promise<Set<string>> {
  const preload = `--import=data:text/javascript,${encodeURIComponent(printModules)}`;
  const environment = testEnvironment({ NODE_OPTIONS: preload });
  const { code, output } = await run(process.execPath, [program, ...command.split(' ')], { environment });
  expect(code, output).toBe(0);
  return new Set(output.match(/(?<=node_modules\/)(?:@[^/\s]+\/)?[^/\s]+(?=\/)/g));
}

test.each(['--help', 'encode --help', 'presets', 'completion bash'])(
  '`holdfast %s` starts without the clients of Temporal and of HTTP',
  async (command) => {
    const packages = await packagesLoadedBy(command);
    // Every command reads Temporal's settings.
    expect(packages).toContain('@temporalio/envconfig');
    for (const name of ['@temporalio/client', '@temporalio/proto', '@grpc/grpc-js', 'undici']) {
      expect(packages).not.toContain(name);
    }
  },
);
