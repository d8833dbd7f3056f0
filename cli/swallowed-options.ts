import type { Command } from 'commander';

/**
 * Returns the options that npm took from `npm run <command> --option` or `npm exec holdfast <command> --option`. Without
 * `--` before it, npm keeps an option for itself and passes it on as a variable such as `npm_config_loudness`.
 */
export function findSwallowedOptions(command: Command, environment: NodeJS.ProcessEnv): string[] {
  // `npx` and `npm exec` have one event; npx takes only the options before `holdfast`.
  if (![command.name(), 'npx'].includes(environment['npm_lifecycle_event'] ?? '')) return [];
  return command.options
    .map(({ long }) => long ?? '')
    .filter((long) => environment[`npm_config_${long.replace(/^--(?:no-)?/, '').replaceAll('-', '_')}`] !== undefined);
}
