import { expect, test } from 'vitest';
import { formatPresets } from '../../cli/media/presets.ts';
import { buildProgram, type Commands } from '../../cli/program.ts';
import { builtInPresets } from '../../contract/presets.ts';

const tooLong = (text: string): string[] => text.split('\n').filter((line) => line.length > 80);

test('the help of each command fits a terminal of 80 columns', () => {
  const program = buildProgram({} as Commands, '1.2.3');
  const commands = [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)];
  for (const command of commands) {
    let help = '';
    command.configureOutput({ getOutHelpWidth: () => 80, writeOut: (text) => (help += text) });
    // Unlike helpInformation(), this includes the texts that follow the options.
    command.outputHelp();
    expect(help, command.name()).toMatch(/^Usage: /);
    expect(tooLong(help), command.name()).toEqual([]);
  }
});

test('the presets fit a terminal of 80 columns', () => {
  const text = formatPresets(Object.entries(builtInPresets), 80);
  expect(tooLong(text)).toEqual([]);
  expect(text).toContain('podcast-mp3-stereo\n  podcasts with music');
});
