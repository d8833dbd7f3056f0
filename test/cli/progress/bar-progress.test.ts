import { expect, test, vi } from 'vitest';
import { BarProgress } from '../../../cli/progress/bar-progress.ts';
import { BatchProgress } from '../../../cli/progress/batch-progress.ts';
import { type DrawnTerminal, encoding, terminalOf } from '../../support/progress.ts';

const pace = { speed: 1.93, video: { frames: 123_456, fps: 48.2, size: 335_544_300 } };

/** The characters of the last line that fit on the terminal. */
function lastLine({ drawn, stream }: DrawnTerminal): string {
  const line = drawn.slice(drawn.lastIndexOf('\x1b[1G') + '\x1b[1G'.length).replace('\x1b[0K', '');
  return line.slice(0, stream.columns);
}

test('a film shows the time left on a terminal of 80 columns', () => {
  vi.useFakeTimers();
  try {
    const terminal = terminalOf(80);
    const progress = new BarProgress(terminal.stream);
    progress.show({ ...encoding, ...pace });
    vi.advanceTimersByTime(10_000);
    progress.show({ ...encoding, ...pace, percent: 50 });
    vi.advanceTimersByTime(500);
    expect(lastLine(terminal)).toContain('about 0:5');
    progress.stop();
  } finally {
    vi.useRealTimers();
  }
});

test('a note after the end of a run does not draw its bar again', () => {
  const terminal = terminalOf(80);
  const progress = new BarProgress(terminal.stream);
  progress.show({ ...encoding, ...pace });
  progress.stop();
  const before = terminal.drawn.length;
  progress.note('Waiting for another command.');
  expect(terminal.drawn.slice(before)).toBe('Waiting for another command.\n');
});

test('several films show their time and the time left on a terminal of 80 columns', () => {
  vi.useFakeTimers();
  try {
    const terminal = terminalOf(80);
    const progress = new BatchProgress(2, { stream: terminal.stream });
    const [first, second] = ['a-film-with-a-long-name.mov → proxy-360', 'another.mov → proxy-360'].map((title) =>
      progress.runOf(title),
    );
    for (const run of [first, second]) run?.show({ ...encoding, ...pace, percent: 10 });
    vi.advanceTimersByTime(10_000);
    for (const run of [first, second]) run?.show({ ...encoding, ...pace, percent: 20 });
    vi.advanceTimersByTime(500);
    expect(lastLine(terminal)).toMatch(/0 of 2 done · .*0:1\d · about 0:5\d left/);
    progress.stop();
  } finally {
    vi.useRealTimers();
  }
});

test('the bar of several files does not fall back to 0 % when one of them ends', () => {
  const terminal = terminalOf(80);
  const progress = new BatchProgress(2, { stream: terminal.stream });
  progress.end('a.wav', 'succeeded');
  expect(terminal.drawn).toContain(' 50% ');
  expect(terminal.drawn).not.toContain(' 0% ');
  progress.stop();
});
