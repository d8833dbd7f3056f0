import { writeFile } from 'node:fs/promises';
import type { MediaFacts } from '../../../../contract/http/media.ts';
import { SilentReport } from '../../../../contract/http/report.ts';

/** Writes the report of a film without sound, and returns the film's length in seconds. */
export async function writeSilentReport(
  path: string,
  { formatName: format, facts: file }: { formatName: string; facts: MediaFacts },
): Promise<number> {
  const duration = file.pictures?.seconds ?? 0;
  const report = SilentReport.parse({ version: 1, source: { format }, file, duration } satisfies SilentReport);
  await writeFile(path, `${JSON.stringify(report)}\n`, { flag: 'wx' });
  return duration;
}
