import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCues, type CueWord } from '../../../contract/transcript/cues.ts';
import { CaptionStyle } from '../../../contract/captions.ts';

/** Words of 0.3 s each. `|2` is a pause of 2 s. */
function spoken(text: string): CueWord[] {
  let at = 0;
  return text.split(' ').flatMap((part) => {
    const pause = /^\|([\d.]+)$/.exec(part)?.[1];
    if (pause !== undefined) {
      at += Number(pause);
      return [];
    }
    const word = { text: `${part} `, start: at, end: at + 0.3 };
    at += 0.3;
    return [word];
  });
}

function linesOf(text: string, style: Partial<CaptionStyle> = {}): string[] {
  return toCues(spoken(text), CaptionStyle.parse(style)).map(({ lines }) => lines.join(' / '));
}

describe('the breaks of captions', () => {
  test.each([
    ['a short sentence stays on one line', 'We shall see.', ['We shall see.']],
    [
      'a cue ends with its sentence',
      'The first sentence ends here, after a while. The second one is about as long as the first.',
      ['The first sentence ends here, / after a while.', 'The second one is about as long / as the first.'],
    ],
    [
      'a long sentence breaks behind a clause',
      'When the rain had stopped at last, the children ran into the garden, and their mother called them back again.',
      [
        'When the rain had stopped at last, / the children ran into the garden,',
        'and their mother called them back again.',
      ],
    ],
    [
      'an article stays with its noun',
      'Nobody in this small town had ever before seen anything quite like the elephant',
      ['Nobody in this small town had ever before / seen anything quite like the elephant'],
    ],
    ['a pause ends a cue', 'Well |1.5 maybe not', ['Well', 'maybe not']],
    [
      'a word longer than a line has its own',
      'See https://example.test/a/very/long/address/that/no/line/can/hold now',
      ['See / https://example.test/a/very/long/address/that/no/line/can/hold', 'now'],
    ],
  ])('%s', (_, text, cues) => {
    expect(linesOf(text)).toEqual(cues);
  });

  test('a line holds as many letters of 32 bits as of 16 bits', () => {
    const text = '𝐨𝐧𝐞 𝐭𝐰𝐨 𝐭𝐡𝐫𝐞𝐞 𝐟𝐨𝐮𝐫';
    expect(linesOf(text, { lineLength: 20 })).toEqual([text]);
  });

  test('lines and their number follow the style', () => {
    const text = 'one two three four five six seven eight nine ten eleven twelve';
    expect(linesOf(text, { lineLength: 16, lines: 1 }).every((cue) => cue.length <= 16)).toBe(true);
    expect(linesOf(text, { lineLength: 20, lines: 4 })).toHaveLength(1);
  });
});

describe('the times of captions', () => {
  const style = CaptionStyle.parse({ readingSpeed: 10, minGap: 0.1 });
  test.each<[string, string, [number, number][]]>([
    ['a cue stays until it can be read', 'Twenty characters...', [[0, 2]]],
    ['a cue stays for at least five sixths of a second', 'Oh!', [[0, 0.833]]],
    [
      'a cue ends before the next one',
      'A long sentence. |1.1 Next.',
      [
        [0, 1.9],
        [2, 2.833],
      ],
    ],
    [
      'a short pause between cues is closed',
      'Twenty characters... |1.8 Next.',
      [
        [0, 2.3],
        [2.4, 3.233],
      ],
    ],
  ])('%s', (_, text, times) => {
    expect(toCues(spoken(text), style).map(({ start, end }) => [start, end])).toEqual(times);
  });
});

test('captions hold all words in order, fit their lines, and do not overlap, whatever is said', () => {
  const word = fc.record({
    text: fc.stringMatching(/^[a-zA-Z]{1,14}[,.?]?$/),
    pause: fc.double({ min: 0, max: 2, noNaN: true }),
    length: fc.double({ min: 0, max: 1.5, noNaN: true }),
  });
  const style = fc.record({
    lineLength: fc.integer({ min: 16, max: 60 }),
    lines: fc.integer({ min: 1, max: 4 }),
    readingSpeed: fc.integer({ min: 5, max: 50 }),
    minGap: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), style, (said, given) => {
      let at = 0;
      const words = said.map(({ text, pause, length }) => {
        const start = at + pause;
        at = start + length;
        return { text: `${text} `, start, end: at };
      });
      const cues = toCues(words, given);
      expect(cues.flatMap(({ lines }) => lines).join(' ')).toBe(said.map(({ text }) => text).join(' '));
      for (const [index, { start, end, lines }] of cues.entries()) {
        expect(end).toBeGreaterThan(start);
        expect(lines.length).toBeLessThanOrEqual(given.lines);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(given.lineLength);
        // A cue lasts at least a millisecond, even if two words have the same time.
        const next = cues[index + 1];
        if (next !== undefined) expect(end).toBeLessThanOrEqual(Math.max(next.start, start + 0.002));
      }
    }),
  );
});
