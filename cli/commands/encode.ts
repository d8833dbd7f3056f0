import { join } from 'node:path';
import { EncodeInput, EncodeOutcome } from '../../contract/workflow/encode.ts';
import { assertAbsent } from '../media/delivery.ts';
import { bring, parseDestination, uploadUrl } from '../media/destination.ts';
import { outputNames } from '../media/output-names.ts';
import { parseSource } from '../media/source.ts';
import { checked } from '../run/checked.ts';
import { headline, outputReport } from '../run/report.ts';
import { runJob } from '../run/run-job.ts';
import type { Settings } from '../settings.ts';

export interface EncodeOptions {
  format: string[];
  channels?: number;
  /** Hz */
  sampleRate?: number;
  out?: string;
  force: boolean;
}

export async function encode(sourceText: string, options: EncodeOptions, settings: Settings): Promise<number> {
  const { userFolder } = settings;
  const { format: formats, channels, sampleRate, force } = options;
  const source = parseSource(sourceText, userFolder);
  const destination = parseDestination(options.out, userFolder);
  const names = outputNames(source, formats, destination);
  if (destination.kind === 'folder')
    assertAbsent(
      names.map((name) => join(destination.path, name)),
      force,
    );
  const target = formats.join(' + ');

  return await runJob(
    {
      command: 'encode',
      workflowType: 'encode',
      source,
      target,
      input: (sourceUrl, staging) =>
        checked(EncodeInput, {
          sourceUrl,
          outputs: formats.map((format, index) => ({
            format,
            uploadUrl: uploadUrl(destination, staging, names[index] ?? ''),
            channels,
            sampleRate,
          })),
        }),
      async finish(result, staging, tookMs) {
        const outcome = EncodeOutcome.parse(result);
        const lines = [headline(`Encoded to ${target}`, tookMs, outcome)];
        for (const [index, output] of outcome.outputs.entries()) {
          const place = await bring(destination, staging, names[index] ?? '', { force, userFolder });
          lines.push(outputReport(place, output));
        }
        return lines.join('\n');
      },
    },
    settings,
  );
}
