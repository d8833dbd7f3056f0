import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bashScript } from '../../../cli/completion/bash.ts';
import { describeCommands } from '../../../cli/completion/described-command.ts';
import { processCommands } from '../../../cli/completion-command.ts';
import { buildProgram, type Commands } from '../../../cli/program.ts';
import { projectRoot } from '../../support/project-files.ts';

const program = buildProgram({} as Commands, '1.2.3');
const script = bashScript(describeCommands(program, processCommands));

/** Completions of bash for a line that ends where the cursor is. */
function complete(line: string): string[] {
  const ask = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _holdfast; printf "%s\\n" "${COMPREPLY[@]}"';
  const words = line.split(' ');
  const output = execFileSync('bash', ['--norc', '-c', `${script}\n${ask}`, 'bash', ...words], {
    encoding: 'utf8',
    cwd: join(projectRoot, 'examples'),
  });
  return output.split('\n').filter((word) => word !== '');
}

test('bash completes commands, their options and the values of options', () => {
  expect(complete('holdfast enc')).toEqual(['encode']);
  expect(complete('holdfast ')).toEqual(expect.arrayContaining(['start', 'runs', 'worker', 'completion']));
  expect(complete('holdfast encode --sample')).toEqual(['--sample-rate']);
  expect(complete('holdfast encode talk.wav --hdr ')).toEqual(['keep', 'sdr']);
  expect(complete('holdfast encode talk.wav --preset podcast-mp3')).toEqual(['podcast-mp3-stereo', 'podcast-mp3-mono']);
  expect(complete('holdfast runs can')).toEqual(['cancel']);
  expect(complete('holdfast runs list --st')).toEqual(['--state']);
  expect(complete('holdfast runs list --state fai')).toEqual(['failed']);
  expect(complete('holdfast completion ')).toEqual(['bash', 'zsh', 'fish']);
});

test('bash completes files as sources and as values of options', () => {
  expect(complete('holdfast encode ta')).toEqual(['talk.wav']);
  expect(complete('holdfast encode --cover ta')).toEqual(['talk.wav']);
  expect(complete('holdfast encode --no-such')).toEqual([]);
});

test('bash completes every option of every command', () => {
  for (const command of program.commands) {
    const flags = command.options.map(({ long }) => long ?? '');
    expect(complete(`holdfast ${command.name()} --`)).toEqual(expect.arrayContaining(flags));
  }
});

test('the processes of completion are those of the command holdfast', () => {
  const text = readFileSync(join(projectRoot, 'scripts/holdfast.mjs'), 'utf8');
  const names = [...text.matchAll(/^ {2}'?([\w-]+)'?: \['\w+\/main\.ts'\],$/gm)].map(([, name]) => name);
  expect(processCommands).toEqual(names);
});
