import { existsSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from '../support/process.ts';
import { projectRoot } from '../support/project-files.ts';
import type { Fault } from './gate.ts';

/** A copy of the project's files, without ignored ones, that can be broken. It is removed when this process exits. */
export class ScratchCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<ScratchCopy> {
    // The real path, because some tools compute relative paths from it.
    const folder = await mkdtemp(join(await realpath(tmpdir()), 'holdfast-gates-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const { code, output } = await run('git', listed, { cwd: projectRoot });
    if (code !== 0) throw new Error(`git does not list the files of the project: ${output}`);
    for (const path of output.split('\0').filter((name) => name !== '')) {
      // A deleted file is listed until the next commit.
      if (!existsSync(join(projectRoot, path))) continue;
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await cp(join(projectRoot, path), join(folder, path));
    }
    await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
    return new ScratchCopy(folder);
  }

  /** Breaks a file while `work` runs. Throws if the file does not have the text of the fault exactly once. */
  async whileBroken<Result>(file: string, [find, replace]: Fault, work: () => Promise<Result>): Promise<Result> {
    const path = join(this.folder, file);
    const text = await readFile(path, 'utf8');
    const parts = text.split(find);
    if (parts.length !== 2) throw new Error(`${file} has this text ${parts.length - 1} times, not once: ${find}`);
    await writeFile(path, parts.join(replace));
    try {
      return await work();
    } finally {
      await writeFile(path, text);
    }
  }
}
