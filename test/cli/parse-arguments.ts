import { Command } from 'commander';
import { buildProgram } from '../../cli/program.ts';

/** Returns the name of the called command and its arguments. */
export async function parseArguments(...args: string[]): Promise<unknown[]> {
  let called: unknown[] = [];
  const call = (name: string) =>
    async function record(...given: unknown[]) {
      // Commander also passes the Command object.
      called = [name, ...given.filter((value) => name !== 'start' && !(value instanceof Command))];
    };
  const program = buildProgram(
    {
      start: call('start'),
      encode: call('encode'),
      chunk: call('chunk'),
      process: call('process'),
      inspect: call('inspect'),
      listPresets: call('listPresets'),
      listRuns: call('listRuns'),
      cancelRuns: call('cancelRuns'),
      rerun: call('rerun'),
      setupServer: call('setupServer'),
      limiter: call('limiter'),
    },
    '1.2.3',
  );
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  }
  await program.parseAsync(args, { from: 'user' });
  return called;
}
