import type { DescribedCommand } from './described-command.ts';
import { bashScript } from './bash.ts';

/** zsh runs the functions of bash's completion. */
export function zshScript(commands: readonly DescribedCommand[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`;
}
