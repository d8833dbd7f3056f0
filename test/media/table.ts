import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { projectRoot } from '../support/project-files.ts';
import type { KindResult } from './check-kind.ts';

const execute = promisify(execFile);

const page = 'docs/media.md';

function introduction(count: number, ffmpeg: string): string {
  return `# Sources that are checked

Written by \`npm run check:media\`, which makes ${count} kinds of source, sends each through \`POST /encode\` and \`POST /chunk\`, and
compares what comes out with what plain ffmpeg decodes (${ffmpeg}): channels, rate, the number of samples, and the samples
themselves. A kind says what is expected of it (\`test/media/kinds/\`); the figures here were measured.

- **same samples**: the WAV and the FLAC of it, or its chunks, decode to the very samples of the source.
- **n dB**: the WAV and the FLAC have as many samples as plain ffmpeg decodes, and differ from them by so little.
- **in place to n ms**: each chunk is as long as planned, and its sound lies so near to its place.
- **refused**: with this code, and nothing is uploaded.

An mp3 is made of each as well; its length and the place of its sound are compared.
`;
}

/** Writes the page of the documents that tells what was checked. */
export async function writeTable(results: readonly KindResult[]): Promise<void> {
  const { stdout } = await execute('ffmpeg', ['-version']);
  const [, version = ''] = /^(ffmpeg version \d[\w.]*)/.exec(stdout) ?? [];
  const rows = results.map(({ kind, encode, chunk }) => `| ${kind.name} | ${encode.found} | ${chunk.found} |`);
  const text = [introduction(results.length, version), '| source | encode | chunks |', '| --- | --- | --- |', ...rows];
  await writeFile(projectRoot + page, `${text.join('\n')}\n`);
  await execute('npx', ['prettier', '--write', page], { cwd: projectRoot });
}
