import { Argument, type Command } from 'commander';
import { bashScript } from './completion/bash.ts';
import { type DescribedCommand, describeCommands } from './completion/described-command.ts';
import { fishScript } from './completion/fish.ts';

/** Commands of `holdfast` that are processes of their own (`scripts/holdfast.mjs`). */
export const processCommands = ['container', 'worker', 'server', 'codec-server'];

/** Commands of `holdfast` that are not part of the command line. */
const otherCommands = [...processCommands, 'setup-vmaf'];

const scripts = {
  bash: bashScript,
  // zsh runs the functions of bash's completion.
  zsh: (commands: readonly DescribedCommand[]) =>
    `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
};

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a script for the completion of commands, options and values in a shell')
    .usage('bash | zsh | fish')
    .addArgument(new Argument('<shell>', 'shell that reads the script').choices(Object.keys(scripts)))
    .addHelpText(
      'after',
      [
        '',
        'bash, in ~/.bashrc:                    source <(npx holdfast completion bash)',
        'zsh, in ~/.zshrc after compinit:       source <(npx holdfast completion zsh)',
        'fish, in ~/.config/fish/config.fish:   npx holdfast completion fish | source',
      ].join('\n'),
    )
    .action((shell: keyof typeof scripts) => {
      process.stdout.write(`${scripts[shell](describeCommands(program, otherCommands))}\n`);
    });
}
