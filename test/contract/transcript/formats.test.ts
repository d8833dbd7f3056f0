import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fromXML } from 'imsc/src/main/js/doc.js';
import { generateISD } from 'imsc/src/main/js/isd.js';
import { parseText } from 'media-captions';
import { expect, test } from 'vitest';
import type { Cue } from '../../../contract/transcript/cues.ts';
import { toPlainText } from '../../../contract/transcript/plain-text.ts';
import { toSrt, toVtt } from '../../../contract/transcript/subtitles.ts';
import { buildTranscript } from '../../../activities/transcript/transcript.ts';
import { toPodcastJson } from '../../../contract/transcript/podcast-json.ts';
import { toTtml } from '../../../contract/transcript/ttml.ts';
import { toVerboseJson } from '../../../contract/transcript/verbose-json.ts';
import { testFolder } from '../../support/folder.ts';

// Other programs' readers read what we write.

const cues: Cue[] = [
  { start: 0.04, end: 1.5, lines: ['Tom & Jerry say: “1 < 2”'] },
  { start: 1.583, end: 3.25, lines: ['Größe zählt nicht,', 'sagt er.'] },
  { start: 3_661, end: 3_662.5, lines: ['an hour later'] },
];

/** Start, end and text of each packet, as ffprobe demuxes the file. */
async function probe(name: string, text: string): Promise<[number, number][]> {
  const path = join(testFolder(), name);
  await writeFile(path, text);
  const args = ['-v', 'error', '-of', 'json', '-show_entries', 'packet=pts_time,duration_time', path];
  const { stdout, stderr } = await promisify(execFile)('ffprobe', args);
  expect(stderr).toBe('');
  const { packets } = JSON.parse(stdout) as { packets: { pts_time: string; duration_time: string }[] };
  return packets.map(({ pts_time: start, duration_time: duration }) => [
    Number(start),
    Number(start) + Number(duration),
  ]);
}

test.each([
  ['captions.srt', toSrt],
  ['captions.vtt', toVtt],
])('ffprobe reads the times of %s', async (name, write) => {
  const read = await probe(name, write(cues));
  expect(read).toHaveLength(cues.length);
  for (const [index, { start, end }] of cues.entries()) {
    expect(read[index]?.[0]).toBeCloseTo(start, 3);
    expect(read[index]?.[1]).toBeCloseTo(end, 3);
  }
});

test.each([
  ['vtt', toVtt(cues)],
  ['srt', toSrt(cues)],
] as const)('a player’s parser reads times and text of %s without an error', async (type, text) => {
  const { cues: read, errors } = await parseText(text, { type, strict: true, errors: true });
  expect(errors).toEqual([]);
  const unescape = (line: string) => line.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  expect(read.map(({ startTime, endTime, text: shown }) => [startTime, endTime, unescape(shown)])).toEqual(
    cues.map(({ start, end, lines }) => [start, end, lines.join('\n')]),
  );
});

interface Shown {
  kind: string;
  text?: string;
  contents?: Shown[];
}

function textOf({ kind, text = '', contents = [] }: Shown): string {
  return kind === 'br' ? '\n' : text + contents.map(textOf).join('');
}

test('imscJS reads times and text of TTML in the profile of IMSC 1.1 without a complaint', () => {
  const complaints: string[] = [];
  const complain = (text: string) => complaints.push(text) < 0;
  const read = fromXML(toTtml(cues, 'de'), { info: complain, warn: complain, error: complain, fatal: complain });
  const times = read.getMediaTimeEvents();
  expect(times.map((seconds) => Number(seconds.toFixed(3)))).toEqual(
    [0, ...cues.flatMap(({ start, end }) => [start, end])].filter(
      (seconds, index, all) => all.indexOf(seconds) === index,
    ),
  );
  expect(cues.map(({ start }) => textOf(generateISD(read, start + 0.01)).trim())).toEqual(
    cues.map(({ lines }) => lines.join('\n')),
  );
  expect(textOf(generateISD(read, 5)).trim()).toBe('');
  expect(complaints).toEqual([]);
});

test('TTML escapes markup and drops characters that XML cannot hold', () => {
  const text = toTtml([{ start: 0, end: 1, lines: ['</p><script>"x"\u0000\u0008'] }], undefined);
  expect(text).toContain('&lt;/p&gt;&lt;script&gt;&quot;x&quot;</span>');
});

test('plain text has paragraphs that end at pauses after a sentence', () => {
  const word = (text: string, start: number) => ({ text: `${text} `, start, end: start + 0.3 });
  const said = [
    word('One', 0),
    word('two.', 0.3),
    word('Three', 3),
    word('|', 8),
    word('four.', 8.3),
    word('Five.', 9),
  ];
  expect(toPlainText(said)).toBe('One two.\n\nThree | four. Five.\n');
});

test('verbose JSON has the fields of OpenAI’s, with words on the source’s clock', () => {
  const { transcript } = buildTranscript([
    {
      index: 0,
      start: 30,
      duration: 10,
      segments: [{ start: 0, end: 1, text: 'Hello, there.' }],
      words: [
        { word: 'Hello', start: 0, end: 0.4, confidence: 0.75 },
        { word: 'there', start: 0.5, end: 1 },
      ],
      language: 'english',
    },
  ]);
  expect(toVerboseJson(transcript)).toEqual({
    task: 'transcribe',
    language: 'en',
    duration: 40,
    text: 'Hello, there.',
    segments: [{ id: 0, start: 30, end: 31, text: 'Hello, there.' }],
    words: [
      { word: 'Hello,', start: 30, end: 30.4, confidence: 0.75 },
      { word: 'there.', start: 30.5, end: 31 },
    ],
  });
});

test('podcast JSON has the fields of the podcast namespace', () => {
  const spoken = [
    { start: 0.5, end: 2, text: 'Hello, there.', speaker: 'S1' },
    { start: 2.5, end: 3, text: 'Hi.' },
  ];
  const segments = spoken.map((segment, id) => ({ id, chunk: 0, ...segment }));
  expect(toPodcastJson({ text: 'Hello, there. Hi.', segments, duration: 3, complete: true, missing: [] })).toEqual({
    version: '1.0.0',
    segments: [
      { speaker: 'S1', startTime: 0.5, endTime: 2, body: 'Hello, there.' },
      { startTime: 2.5, endTime: 3, body: 'Hi.' },
    ],
  });
});

test('speakers whose names contain markup are named in TTML and WebVTT', () => {
  const name = 'Ann <b> & "Bo" -->';
  const turns = [{ start: 0, end: 1, lines: ['Hello.'], speaker: name }];
  const complaints: string[] = [];
  const complain = (text: string) => complaints.push(text) < 0;
  const ttml = toTtml(turns, 'en');
  fromXML(ttml, { info: complain, warn: complain, error: complain, fatal: complain });
  expect(complaints).toEqual([]);
  expect(ttml).toContain('<ttm:name type="alias">Ann &lt;b&gt; &amp; &quot;Bo&quot; --&gt;</ttm:name>');
  expect(toVtt(turns)).toContain('\n<v Ann &lt;b&gt; &amp; "Bo" --&gt;>Hello.\n');
  expect(toSrt(turns)).toContain('Ann <b> & "Bo" →: Hello.');
});
