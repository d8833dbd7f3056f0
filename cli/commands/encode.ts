import { join } from 'node:path';
import { assertAbsent } from '../media/delivery.ts';
import { deliverOutput, parseDestination, uploadUrl } from '../media/destination.ts';
import { nameOutputs } from '../media/output-names.ts';
import { parseSource } from '../media/named-source.ts';
import { formatHeadline, formatOutput } from '../run/format-outcome.ts';
import { runCommand } from '../run/run-command.ts';
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
  const names = nameOutputs(source, formats, destination);
  if (destination.kind === 'folder')
    assertAbsent(
      names.map((name) => join(destination.path, name)),
      force,
    );
  const target = formats.join(' + ');

  return await runCommand(
    {
      name: 'encode',
      workflowType: 'encode',
      source,
      target,
      buildInput: (sourceUrl, staging) => ({
        sourceUrl,
        outputs: formats.map((format, index) => ({
          format,
          uploadUrl: uploadUrl(destination, staging, names[index] ?? ''),
          channels,
          sampleRate,
        })),
      }),
      async finish(outcome, staging, tookMs) {
        const lines = [formatHeadline(`Encoded to ${target}`, tookMs, outcome)];
        for (const [index, output] of outcome.outputs.entries()) {
          const place = await deliverOutput(destination, staging, names[index] ?? '', { force, userFolder });
          lines.push(formatOutput(place, output));
        }
        return lines.join('\n');
      },
    },
    settings,
  );
}
