import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAnswer } from '../../activities/provider/answer.ts';
import { buildTranscript } from '../../activities/transcript/transcript.ts';
import { planChunks } from '../../contract/chunk-plan.ts';
import { defaultChunkDuration, defaultOverlapDuration } from '../../contract/defaults.ts';
import { makeMedia } from '../support/media-files.ts';
import { probeAudio } from '../support/media.ts';
import { filesIn, textOf } from '../support/project-files.ts';
import { speak, Transcriber } from '../support/transcriber.ts';
import { alignTexts, plainWords } from '../support/word-errors.ts';

// `npm run check:transcripts [-- minutes [seconds of a chunk]]` speaks sentences of the documents by eSpeak NG for an
// hour, and transcribes the talk in one piece and in chunks. The chunks may add 0.3 points to the word error rate, and
// no join may repeat a word.

const mostAddedPoints = 0.3;
const voices = ['en-us', 'en-gb', 'en-us+f3'];
/** Sentences of one voice. */
const turnSentences = 20;
/** Most words that are looked for on both sides of a join. */
const reach = 8;

interface Heard {
  word: string;
  chunk: number;
}

/** Sentences that are spoken as they are written: without numbers, code and abbreviations. */
function spokenSentences(): string[] {
  const blocks = filesIn('docs', ['.md']).flatMap((path) =>
    textOf(path)
      .replaceAll(/```.*?```/gs, '\n\n')
      .replaceAll(/^[|#].*$/gm, '\n\n')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll('**', '')
      .split(/\n\s*\n|\n\s*[*-] |\n\d+\. /),
  );
  const sentences = blocks.flatMap((block) =>
    block
      .replaceAll(/\s+/g, ' ')
      .trim()
      .split(/(?<=\.) /),
  );
  const isProse = (text: string) => /^[A-Z](?:[a-z,' -]| [A-Z])+\.$/.test(text) && text.split(' ').length > 5;
  return [...new Set(sentences.filter(isProse))];
}

/** Speaks for at most this time. */
async function speakTalk(
  folder: string,
  mostSeconds: number,
): Promise<{ path: string; duration: number; said: string[] }> {
  const sentences = spokenSentences();
  const parts: string[] = [];
  const said: string[] = [];
  let duration = 0;
  for (let turn = 0; ; turn += 1) {
    const spoken = sentences.slice(turn * turnSentences, (turn + 1) * turnSentences).join(' ');
    const part = join(folder, `turn-${turn}.wav`);
    if (spoken === '') break;
    await speak(spoken, part, voices[turn % voices.length]);
    const { duration: seconds } = await probeAudio(part);
    if (duration + seconds > mostSeconds) break;
    parts.push('-i', part);
    said.push(...plainWords(spoken));
    duration += seconds;
  }
  const joined = [
    '-filter_complex',
    `concat=n=${parts.length / 2}:v=0:a=1`,
    '-ar',
    '48000',
    '-c:a',
    'libopus',
    '-b:a',
    '24k',
  ];
  const path = await makeMedia(folder, 'talk.ogg', ...parts, ...joined);
  return { path, duration: (await probeAudio(path)).duration, said };
}

async function transcribe(transcriber: Transcriber, path: string, duration: number) {
  const fields = { response_format: 'verbose_json', 'timestamp_granularities[]': ['segment', 'word'] };
  const reply = await transcriber.post(path, fields);
  const answer = readAnswer('openai-transcription', 'local/tiny.en', await reply.json(), duration);
  if (answer === undefined) throw new Error(`The transcriber answered with ${reply.status}`);
  return answer;
}

function heardWords(chunks: Parameters<typeof buildTranscript>[0]): Heard[] {
  const { segments } = buildTranscript(chunks).transcript;
  return segments.flatMap(({ text, chunk }) => plainWords(text).map((word) => ({ word, chunk })));
}

/** Words that are heard twice at a join, once on each side. */
function repeatedAt(join: number, heard: readonly string[]): string[] {
  for (let count = reach; count > 0; count -= 1) {
    const [before, after] = [heard.slice(join - count, join), heard.slice(join, join + count)];
    if (before.length === count && before.join(' ') === after.join(' ')) return before;
  }
  return [];
}

const [minutes = 60, chunkSeconds = defaultChunkDuration] = process.argv.slice(2).map(Number);
const folder = await mkdtemp(join(tmpdir(), 'holdfast-transcripts-'));
const transcriber = await Transcriber.start();
try {
  // The transcriber refuses more than an hour.
  const { path, duration, said } = await speakTalk(folder, minutes * 60 - 5);
  console.log(`${duration.toFixed(0)} s of speech, ${said.length} words`);
  const rateOf = (heard: readonly Heard[]) => {
    const { errors } = alignTexts(
      said,
      heard.map(({ word }) => word),
    );
    return (100 * errors) / said.length;
  };
  const chunks = [];
  for (const { index, start, duration: seconds } of planChunks(duration, chunkSeconds, defaultOverlapDuration)) {
    const cut = ['-ss', `${start}`, '-t', `${seconds}`, '-i', path, '-c:a', 'flac'];
    const chunk = await makeMedia(folder, `chunk-${index}.flac`, ...cut);
    chunks.push({ index, start, duration: seconds, ...(await transcribe(transcriber, chunk, seconds)) });
  }
  const joined = heardWords(chunks);
  const joinedRate = rateOf(joined);
  console.log(`in ${chunks.length} chunks of ${chunkSeconds} s: word error rate ${joinedRate.toFixed(2)} %`);
  const words = joined.map(({ word }) => word);
  const joins = joined.flatMap(({ chunk }, index) => (index > 0 && joined[index - 1]?.chunk !== chunk ? [index] : []));
  const text = ` ${said.join(' ')} `;
  const repeated = joins
    .map((at) => repeatedAt(at, words))
    .filter((twice) => twice.length > 0 && !text.includes(` ${[...twice, ...twice].join(' ')} `));
  console.log(
    `${joins.length} joins, ${repeated.length} of them repeat words ${repeated.map((twice) => twice.join(' ')).join(', ')}`,
  );
  const whole = heardWords([{ index: 0, start: 0, duration, ...(await transcribe(transcriber, path, duration)) }]);
  const wholeRate = rateOf(whole);
  console.log(`in one piece: word error rate ${wholeRate.toFixed(2)} %`);
  if (joinedRate - wholeRate > mostAddedPoints || repeated.length > 0) process.exitCode = 1;
} finally {
  await transcriber.stop();
  await rm(folder, { recursive: true, force: true });
}
