import { readFile, readdir } from 'node:fs/promises';
import type { TestContainer } from '../../support/container.ts';

/** Command lines of all processes that use files of this folder (Linux). */
async function commandsUnder(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // The process may have ended since the listing.
    const command = await readFile(`/proc/${name}/cmdline`, 'latin1').catch(() => '');
    if (command.includes(folder)) found.push(command.replaceAll('\0', ' '));
  }
  return found;
}

/** Children of a container die with it, before anything else could end them. */
export async function expectNoProcess(dead: TestContainer): Promise<void> {
  const untilMs = Date.now() + 5_000;
  for (;;) {
    const commands = await commandsUnder(dead.scratchDir);
    if (commands.length === 0) return;
    if (Date.now() > untilMs) throw new Error(`outlived the container: ${commands.join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** No process, job folder or slot is left; whatever is ending gets a moment. */
export async function expectNothingLeft(container: TestContainer): Promise<void> {
  let left: Record<string, string[]> = {};
  const isNothingLeft = async () => {
    left = {
      commands: await commandsUnder(container.scratchDir),
      jobFolders: await container.jobFolders(),
      jobs: (await container.health()).jobs,
    };
    return Object.values(left).every((names) => names.length === 0);
  };
  await container.process.until('end of all leftovers', isNothingLeft, 10_000).catch((error: unknown) => {
    throw new Error(`left over: ${JSON.stringify(left)}`, { cause: error });
  });
}
