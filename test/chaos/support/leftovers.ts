import { setTimeout as delay } from 'node:timers/promises';
import type { TestContainer } from '../../support/container.ts';
import { processesNaming } from '../../support/ffmpeg-processes.ts';

async function commandsUnder(folder: string): Promise<string[]> {
  return (await processesNaming(folder)).map(({ command }) => command.replaceAll('\0', ' '));
}

/** Children of a container die with it, before anything else could end them. */
export async function expectNoProcess(dead: TestContainer): Promise<void> {
  const untilMs = Date.now() + 30_000;
  for (;;) {
    const commands = await commandsUnder(dead.scratchDir);
    if (commands.length === 0) return;
    if (Date.now() > untilMs) throw new Error(`outlived the container: ${commands.join('\n')}`);
    await delay(50);
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
  await container.process.until('end of all leftovers', isNothingLeft).catch((error: unknown) => {
    throw new Error(`left over: ${JSON.stringify(left)}`, { cause: error });
  });
}
