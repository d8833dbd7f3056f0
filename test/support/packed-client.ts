import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './process.ts';
import { projectRoot } from './project-files.ts';

/** A user's project with the published form of `@holdfast/client` and other packages of ours installed. */
export async function projectWithClient(packages: readonly string[] = []): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-client-'));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@holdfast', 'client'), { recursive: true });
  await must(['npm', 'pack', '--silent', '--pack-destination', folder], join(projectRoot, 'api-client'));
  await must(
    ['sh', '-c', 'tar -xzf holdfast-client-*.tgz --strip-components=1 -C node_modules/@holdfast/client'],
    folder,
  );
  await rm(join(projectRoot, 'api-client', 'dist'), { recursive: true });
  for (const name of ['standardwebhooks', 'tus-js-client', 'zod', ...packages]) {
    await mkdir(join(modules, name, '..'), { recursive: true });
    await symlink(join(projectRoot, 'node_modules', name), join(modules, name));
  }
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  return folder;
}

async function must([command = '', ...args]: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await run(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${output}`);
}
