import type { DescribedCommand } from './described-command.ts';

const quoted = (text: string): string => `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;

export function fishScript(commands: readonly DescribedCommand[]): string {
  return commands
    .flatMap(({ words, help, options, values, subcommands }) => {
      const [name = '', sub] = words;
      const condition =
        sub === undefined
          ? `__fish_seen_subcommand_from ${name}`
          : `__fish_seen_subcommand_from ${name}; and __fish_seen_subcommand_from ${sub}`;
      const isHere = `complete -c holdfast -n ${quoted(condition)}`;
      const start =
        sub === undefined ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${words.slice(0, -1).join(' ')}`;
      return [
        `complete -c holdfast -n ${quoted(start)} ${sub === undefined ? '-f ' : ''}-a ${words.at(-1)} -d ${quoted(help)}`,
        ...(values.length === 0 ? [] : [`${isHere} -f -a ${quoted(values.join(' '))}`]),
        ...options.map((option) => {
          const flags = option.flags.map((flag) =>
            flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
          );
          const value =
            option.values.length > 0 ? ` -x -a ${quoted(option.values.join(' '))}` : option.takesValue ? ' -r' : '';
          return `${isHere} ${flags.join(' ')}${value} -d ${quoted(option.help)}`;
        }),
        ...(subcommands.length === 0 ? [] : [`${isHere} -f`]),
      ];
    })
    .join('\n');
}
