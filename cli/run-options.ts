import { type Command, Option } from 'commander';
import { collectTexts, parseNumber, parseSeconds, parseWhole, parseWorkflowId } from './option-values.ts';

const sourceHelp =
  'local files and folders, quoted patterns such as "talks/**/*.wav", and URLs (https://, s3://, az://, gs://, sftp:// …)';

/** Adds the sources of `encode`, `chunk` and `process`, and the place of their files. */
export function withSources(command: Command, defaultFolder: string): Command {
  return withPlaceOptions(command.argument('[file-folder-or-URL...]', sourceHelp), defaultFolder)
    .addOption(new Option('--overwrite', 'replace existing files').default(false).conflicts('skipExisting'))
    .option('--skip-existing', 'skip outputs that already exist', false)
    .option('--json', 'print the results as one JSON document', false);
}

export function withPlaceOptions(command: Command, defaultFolder: string): Command {
  return command
    .optionsGroup('Files:')
    .option(
      '-o, --out <folder>',
      `output folder, or a store: s3://bucket/folder/, az://account/container/folder/, gs://bucket/folder/, sftp://host/folder/ (default: ${defaultFolder})`,
    )
    .option('-R, --recursive', 'include subfolders; outputs keep their relative paths', false);
}

/** Adds the options of the runs of `encode`, `chunk` and `process`. They stand last in the help. */
export function withRunOptions(command: Command): Command {
  command
    .optionsGroup('Run:')
    .option('--workflow-id <id>', 'workflow id of the run (default: derived from the source name)', parseWorkflowId)
    .addOption(new Option('--detach', 'exit once the runs are started').default(false).conflicts('wait'))
    .option(
      '--wait <id>',
      'wait for an earlier run and write its files, instead of starting a new one; repeatable',
      collectTexts,
    );
  return withPolicyOptions(command);
}

/** Adds the options that apply to each run of a command. */
export function withPolicyOptions(command: Command): Command {
  return command
    .optionsGroup('Run:')
    .option('--owner <name>', 'owner of the runs, for `npx holdfast runs --owner`')
    .option('--priority <number>', 'priority from 1 (first) to 5 (default: 3)', parseWhole)
    .option('--fairness-key <name>', 'group that takes turns with other groups of the same priority')
    .option('--fairness-weight <number>', 'share of the fairness key (default: 1)', parseNumber)
    .optionsGroup('Retries:')
    .option('--retry-max-time <seconds>', 'total time for retries (default: 3600)', parseSeconds)
    .option('--retry-base-delay <seconds>', 'first wait after a connection error (default: 10)', parseSeconds)
    .option(
      '--retry-max-delay <seconds>',
      'longest wait after a connection error; each wait is twice the one before (default: 300)',
      parseSeconds,
    )
    .option('--retry-buffer <seconds>', 'retry time reserved for the last attempt (default: 30)', parseSeconds);
}
