import { type Command, Option } from 'commander';
import type { LimiterOptions } from './commands/limiter.ts';
import { collectLimit, limitNames } from './limiter/limit-option.ts';
import { parseEnvironmentName, parseProvider, parseReason, parseThrottle } from './option-values.ts';

export function addLimiterCommand(
  program: Command,
  act: (key: string, options: LimiterOptions) => Promise<void>,
): void {
  program
    .command('limiter')
    .usage('<provider>/<model> [options]')
    .description('show the permits, requests and limits of a provider; throttle or resume it, or override its limits')
    .argument('<key>', 'provider key, such as openai/whisper-1', parseProvider)
    .option('--json', 'print the result of the query `stats` as JSON', false)
    .addOption(
      new Option('--throttle <seconds>', 'stop granting permits for this time')
        .argParser(parseThrottle)
        .conflicts('resume'),
    )
    .option(
      '--reason <text>',
      'reason shown to waiting runs, with --throttle (default: operator override)',
      parseReason,
    )
    .option('--resume', 'end the throttle and close the circuit breaker', false)
    .option(
      '--set <name=value>',
      `override a limit of the worker's settings; the value \`default\` removes the override; repeatable (${limitNames.join(', ')})`,
      collectLimit,
    )
    .option(
      '--environment <name>',
      'environment of the limiter (default: HOLDFAST_ENVIRONMENT, else default)',
      parseEnvironmentName,
    )
    .action(async (key: string, options: LimiterOptions, command: Command) => {
      if (options.reason !== undefined && options.throttle === undefined) {
        command.error("error: option '--reason <text>' needs '--throttle <seconds>'");
      }
      await act(key, options);
    });
}
