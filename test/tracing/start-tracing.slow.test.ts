import { expect, test } from 'vitest';
import { projectRoot } from '../support/project-files.ts';
import { run } from '../support/process.ts';

/** OpenTelemetry modules that a process has loaded after these imports. */
async function loadedBy(...files: string[]): Promise<string[]> {
  const script = `
    import { createRequire } from 'node:module';
    for (const file of ${JSON.stringify(files)}) await import('${projectRoot}' + file);
    const paths = Object.keys(createRequire('${projectRoot}').cache);
    const names = paths.map((path) => /node_modules\\/(@opentelemetry\\/[^/]+|@temporalio\\/interceptors[^/]+)/.exec(path)?.[1]);
    console.log(JSON.stringify([...new Set(names)].filter((name) => name !== undefined)));
    process.exit(0);`;
  const { output } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: projectRoot });
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as string[];
}

test('a process without traces loads only OpenTelemetry’s API, which does nothing by itself', async () => {
  const [off, on] = await Promise.all([
    loadedBy('container/app.ts', 'worker/workers.ts', 'server/app.ts'),
    loadedBy('tracing/start-tracing.ts', 'worker/worker-tracing.ts'),
  ]);
  expect(off).toEqual(['@opentelemetry/api']);
  // The check sees modules that are loaded.
  expect(on).toEqual(
    expect.arrayContaining(['@opentelemetry/sdk-trace-base', '@temporalio/interceptors-opentelemetry-v2']),
  );
});
