import { registerSearchAttributes } from '../../client/search-attributes.ts';
import type { Settings } from '../settings.ts';
import { openRunningTemporal } from '../stack/running-temporal.ts';

/** Registers the search attributes, which `npx holdfast start` registers at its own Temporal server. */
export async function setupServer(settings: Settings): Promise<number> {
  const temporal = await openRunningTemporal(settings, 'setup-server');
  try {
    const { added, mistyped } = await registerSearchAttributes(temporal.connection, temporal.namespace);
    const where = `in namespace "${temporal.namespace}"`;
    const done =
      added.length > 0
        ? `Registered the search attributes ${added.join(', ')} ${where}.`
        : mistyped.length > 0
          ? `Nothing could be registered ${where}.`
          : `All search attributes are already registered ${where}.`;
    process.stdout.write(`${done}\n`);
    for (const sentence of mistyped) {
      process.stderr.write(
        `${sentence}: runs work without it. To fix it, remove it with \`temporal operator search-attribute remove\` and run this command again.\n`,
      );
    }
    return mistyped.length > 0 ? 1 : 0;
  } finally {
    await temporal.close();
  }
}
