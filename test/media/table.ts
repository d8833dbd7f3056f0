import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { projectRoot, textOf } from '../support/project-files.ts';
import type { KindResult } from './check-kind.ts';
import type { Kind } from './kind.ts';

const execute = promisify(execFile);

const page = 'docs/media.md';

function introduction(count: number, ffmpeg: string): string {
  return `# Checked sources

\`npm run check:media\` writes this page. It makes ${count} kinds of source and sends each through \`POST /encode\` and \`POST /chunk\`.
It compares the results with the output of plain ffmpeg (${ffmpeg}): channels, rate, the number of samples, and the samples
themselves. A kind states its expected result (\`test/media/kinds/\`); the figures here were measured.

- **same samples**: the WAV and the FLAC, or the chunks, decode to the exact samples of the source.
- **n dB**: the WAV and the FLAC have as many samples as plain ffmpeg decodes, with a difference of this level.
- **in place to n ms**: each chunk has its planned length, and its sound is this close to its place.
- **refused**: with this code, and nothing is uploaded.

An mp3 is made of each as well; its length and the place of its sound are compared.
`;
}

/** Names and cells of the rows that the page has. */
export function readTable(): Map<string, string> {
  const text = existsSync(projectRoot + page) ? textOf(page) : '';
  const rows = [...text.matchAll(/^\| ([^|]+\/[^|]+?) +\| (.+?) +\| (.+?) +\|$/gm)];
  return new Map(rows.map(([, name = '', encode, chunk]) => [name, `| ${name} | ${encode} | ${chunk} |`]));
}

/** Writes the page of the documents that tells what was checked. Kinds that were not keep their rows. */
export async function writeTable(kinds: readonly Kind[], results: readonly KindResult[]): Promise<void> {
  const { stdout } = await execute('ffmpeg', ['-version']);
  const [, version = ''] = /^(ffmpeg version \d[\w.]*)/.exec(stdout) ?? [];
  const rows = readTable();
  for (const { kind, encode, chunk } of results)
    rows.set(kind.name, `| ${kind.name} | ${encode.found} | ${chunk.found} |`);
  const text = [
    introduction(kinds.length, version),
    ...['| source | encode | chunks |', '| --- | --- | --- |'],
    ...kinds.flatMap(({ name }) => rows.get(name) ?? []),
  ];
  await writeFile(projectRoot + page, `${text.join('\n')}\n`);
  await execute('npx', ['prettier', '--write', page], { cwd: projectRoot });
}
