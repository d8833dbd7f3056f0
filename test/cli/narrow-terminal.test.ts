import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { formatPackage } from '../../cli/inspect/format-package.ts';
import { formatRun } from '../../cli/runs/format-run.ts';
import { formatPresets } from '../../cli/media/presets.ts';
import { buildProgram, type Commands } from '../../cli/program.ts';
import { builtInPresets } from '../../contract/presets.ts';
import { testEnvironment } from '../support/process.ts';

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

test('the report on a package fits a terminal of 40 columns', () => {
  const part = { name: 'v360', kind: 'video' as const, codecs: ['avc1'], segments: 4, seconds: 20.1 };
  const rates = { average: 383_000, peak: 409_000, keyFrames: 11 };
  const notChecked = ['how a server answers for the files: content types, caching'];
  const text = formatPackage(
    { kinds: ['hls'], parts: [{ ...part, ...rates }], problems: [], notes: [], notChecked },
    40,
  );
  expect(text.split('\n').filter((line) => line.length > 40)).toEqual([]);
  expect(text).toContain('11 key frames');
  expect(text).toContain('  - how a server answers for the files:\n    content types, caching');
});

test('the reason of a failed run fits a terminal of 40 columns', () => {
  const record = {
    workflowId: 'encode-talk-1',
    runId: 'r',
    workflowType: 'encode' as const,
    taskQueue: 'q',
    historyEvents: 9,
  };
  const run = { record: { ...record, startedAt: new Date(0) }, state: 'failed' as const, input: undefined };
  const failure = 'The recording or the copy of the file did not end properly.';
  expect(formatRun({ ...run, failure }, { now: new Date(0), width: 40, address: undefined })).toContain(
    '  failure   The recording or the copy of\n            the file did not end\n            properly.',
  );
});

test('an error wraps between words on a real terminal', () => {
  const command = `stty cols 40; ${process.execPath} cli/main.ts encode 'a talk that nobody has ever recorded.wav'`;
  const environment = testEnvironment({ INIT_CWD: '/nowhere' });
  const shown = execFileSync('script', ['-qc', command, '/dev/null'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
    env: environment,
  });
  expect(shown.split('\r\n').slice(0, 2)).toEqual([
    'There is no file "a talk that nobody has',
    'ever recorded.wav" (/nowhere/a talk that',
  ]);
});
