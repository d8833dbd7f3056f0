import { buildProgram, type Commands } from '../../cli/program.ts';

/** Returns the name of the called command and its arguments. */
export async function parseArguments(...args: string[]): Promise<unknown[]> {
  let called: unknown[] = [];
  const call = (name: string) =>
    async function record(...given: unknown[]) {
      called = [name, ...given];
    };
  const names = ['start', 'encode', 'chunk', 'process', 'inspect', 'showPresets', 'listRuns', 'cancelRuns', 'rerun'];
  const commands = Object.fromEntries([...names, 'setupServer', 'limiter', 'watch'].map((name) => [name, call(name)]));
  const program = buildProgram(commands as unknown as Commands, '1.2.3');
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  }
  await program.parseAsync(args, { from: 'user' });
  return called;
}

/** The arguments of a command line, in which single quotes keep spaces. */
export function argumentsIn(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
}
