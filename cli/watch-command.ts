import { type Command, Option } from 'commander';
import type { WatchOptions } from './commands/watch.ts';
import { parseSettle } from './option-values.ts';
import { completeOutputs, type ParsedOutputOptions, withOutputOptions } from './output-options.ts';
import { withPlaceOptions, withPolicyOptions } from './run-options.ts';

export function addWatchCommand(
  program: Command,
  watch: (folder: string, options: WatchOptions) => Promise<void>,
): void {
  const command = program
    .command('watch')
    .usage('<folder> [--preset web-h264-720]… [options]')
    .description('encode each media file of a folder once, as soon as it has stopped growing')
    .argument('<folder>', 'local folder, also of a network share; hidden and partial files are ignored');
  withPlaceOptions(command, 'the current folder')
    .addOption(new Option('--overwrite', 'replace existing outputs, which are skipped otherwise').default(false))
    .option('--json', 'print a line of JSON for each file', false)
    .optionsGroup('Watch:')
    .addOption(
      new Option('--settle <seconds>', 'time without a change of size and date after which a file is complete')
        .argParser(parseSettle)
        .default(10),
    )
    .option('--once', 'encode the files that exist, then exit', false);
  withPolicyOptions(withOutputOptions(command)).action(
    async (folder: string, options: ParsedOutputOptions<WatchOptions>) =>
      await watch(folder, { ...options, ...completeOutputs(options, command) }),
  );
}
