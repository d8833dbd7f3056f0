import type { Command } from 'commander';

/**
 * Returns the options that npm took from `npm run <command> --option`. Without `--` before it, npm keeps an option for
 * itself and passes it on as a variable such as `npm_config_loudness`.
 */
export function findSwallowedOptions(command: Command, environment: NodeJS.ProcessEnv): string[] {
  if (environment['npm_lifecycle_event'] !== command.name()) return [];
  return command.options
    .map(({ long }) => long ?? '')
    .filter((long) => environment[`npm_config_${long.replace(/^--(?:no-)?/, '').replaceAll('-', '_')}`] !== undefined);
}
