import { type Command, Option } from 'commander';
import { RunFilter } from '../contract/server/run-state.ts';
import type { RerunOptions, RunsOptions, ShowOptions, UsageOptions } from './commands/runs.ts';
import { parseDay, parseWhole } from './option-values.ts';

export interface RunsCommands {
  listRuns(options: RunsOptions): Promise<void>;
  showUsage(options: UsageOptions): Promise<void>;
  showRun(workflowId: string, options: ShowOptions): Promise<void>;
  cancelRuns(workflowIds: string[]): Promise<void>;
  rerun(workflowId: string, options: RerunOptions): Promise<void>;
}

export function addRunsCommands(program: Command, commands: RunsCommands): void {
  const runs = program
    .command('runs')
    .usage('[options] | show <id> | cancel <id>… | rerun <id>')
    .description('list runs with their progress and waits, newest first')
    .addHelpText(
      'after',
      '\nThe options of the list, such as --state, --owner and --from:\n`holdfast runs list --help`.',
    );
  runs
    .command('list', { isDefault: true })
    .usage('[options]')
    .description('list runs, newest first')
    .option('-w, --watch', 'refresh the list until Ctrl-C', false)
    .addOption(
      new Option('-s, --state <state>', 'only runs in this state; active: all runs that have not ended').choices(
        RunFilter.options,
      ),
    )
    .option('--owner <name>', 'only the runs of this owner')
    .option('-n, --limit <number>', 'largest number of runs', parseWhole, 20)
    .addOption(
      new Option('--cost', 'sum what ended runs used, and its cost, by day and owner')
        .default(false)
        .conflicts(['watch', 'state', 'limit']),
    )
    .addOption(new Option('--csv', 'print the sums of --cost as CSV').implies({ cost: true }).conflicts('json'))
    .option(
      '--from <day>',
      'only runs that started on this day in UTC, today or yesterday, or later; with --cost: first day (default: 29 days before --to)',
      parseDay,
    )
    .option(
      '--to <day>',
      'only runs that started on this day in UTC or earlier; with --cost: last day (default: today)',
      parseDay,
    )
    .option('--json', 'print the list as one JSON document', false)
    .action(async ({ cost, ...options }: RunsOptions & UsageOptions & { cost: boolean }) => {
      if (cost) return await commands.showUsage(options);
      return await commands.listRuns(options);
    });
  runs
    .command('show')
    .usage('<id> [--json]')
    .description('show the state, files, times, attempts and failure of a run')
    .argument('<id>', 'workflow id')
    .option('--json', 'print the run with its input and result as one JSON document', false)
    .action(
      async (id: string, _: ShowOptions, command: Command) => await commands.showRun(id, command.optsWithGlobals()),
    );
  runs
    .command('cancel')
    .usage('<id>…')
    .description('cancel runs; their ffmpeg ends within 10 s')
    .argument('<id...>', 'workflow ids')
    .action(async (ids: string[]) => await commands.cancelRuns(ids));
  runs
    .command('rerun')
    .usage('<id> [--changes <JSON-or-file>]')
    .description('start a new run with the input of an old run, whose source must still exist')
    .argument('<id>', 'workflow id')
    .option(
      '--changes <JSON-or-file>',
      'changes to the input that `runs show <id> --json` prints, such as \'{"owner": "anna", "priority": 1}\'; null removes a field, a list replaces a list',
    )
    .action(async (id: string, options: RerunOptions) => await commands.rerun(id, options));
}
