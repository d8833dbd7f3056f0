import type { DescribedCommand } from './described-command.ts';

/** Completion for bash 3.2 and later, which needs no further package. */
export function bashScript(commands: readonly DescribedCommand[]): string {
  const names = commands.filter(({ words }) => words.length === 1).map(({ words }) => words[0]);
  const parents = commands.filter(({ subcommands }) => subcommands.length > 0);
  return [
    // File names may contain spaces.
    '_holdfast_files() { local IFS=$\'\\n\'; COMPREPLY=($(compgen -f -- "$1")); }',
    '_holdfast() {',
    '  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words= flags=',
    '  COMPREPLY=()',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${names.join(' ')} --help --version" -- "$current")); return`,
    '  fi',
    ...parents.map(
      ({ words, subcommands }) =>
        `  case "$command \${COMP_WORDS[2]}" in ${subcommands.map((name) => `"${[...words, name].join(' ')}"`).join('|')}) [ "$COMP_CWORD" -gt 2 ] && command="$command \${COMP_WORDS[2]}" ;; esac`,
    ),
    '  case "$command $previous" in',
    ...commands.flatMap(({ words, options }) =>
      options
        .filter(({ takesValue }) => takesValue)
        .map(({ flags, values }) => {
          const pattern = flags.map((flag) => `"${[...words, flag].join(' ')}"`).join('|');
          return `    ${pattern}) ${values.length === 0 ? '_holdfast_files "$current"' : `COMPREPLY=($(compgen -W "${values.join(' ')}" -- "$current"))`}; return ;;`;
        }),
    ),
    '  esac',
    '  case "$command" in',
    ...commands.map(({ words, options, values, subcommands }) => {
      const flags = options.flatMap((option) => option.flags);
      return `    "${words.join(' ')}") words="${[...subcommands, ...values].join(' ')}" flags="${flags.join(' ')}" ;;`;
    }),
    '  esac',
    '  case "$current" in -*) words=$flags ;; esac',
    '  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); else _holdfast_files "$current"; fi',
    '}',
    'complete -o filenames -F _holdfast holdfast',
  ].join('\n');
}
