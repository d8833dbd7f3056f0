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

Written by \`npm run check:media\`, which makes ${count} kinds of source, sends each through \`POST /encode\` and \`POST /chunk\`, and
compares the outputs with what plain ffmpeg decodes (${ffmpeg}): channels, rate, the number of samples, and the samples
themselves. Each kind defines the expected result (\`test/media/kinds/\`); the figures here were measured.

- **same samples**: its WAV and FLAC, or its chunks, decode to exactly the samples of the source.
- **n dB**: its WAV and FLAC have as many samples as plain ffmpeg decodes, with this signal-to-noise ratio.
- **in place to n ms**: each chunk has its planned length, and its sound is this close to its position.
- **refused**: the job fails with this code and uploads nothing.

Each source is also encoded to mp3, whose length and sound position are compared.
`;
}

export function readTable(): Map<string, string> {
  const text = existsSync(projectRoot + page) ? textOf(page) : '';
  const rows = [...text.matchAll(/^\| ([^|]+\/[^|]+?) +\| (.+?) +\| (.+?) +\|$/gm)];
  return new Map(rows.map(([, name = '', encode, chunk]) => [name, `| ${name} | ${encode} | ${chunk} |`]));
}

/** Writes docs/media.md. Kinds that were not checked keep their rows. */
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
