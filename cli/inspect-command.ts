import type { Command } from 'commander';
import type { InspectOptions } from './commands/inspect.ts';

export function addInspectCommand(
  program: Command,
  inspect: (source: string, options: InspectOptions) => Promise<void>,
): void {
  program
    .command('inspect')
    .usage('<file-or-URL> [--out <folder>] [--json]')
    .description('report loudness, noise, streams and more of a media file, or check a streaming package')
    .argument(
      '<file-or-URL>',
      'local file or URL (https://, s3://, sftp:// and others); for a package: its .m3u8, its .mpd (not in a store), or the folder of both',
    )
    .option('-o, --out <folder>', 'write report, waveform, spectrogram and contact sheet to this folder')
    .option('--overwrite', 'replace existing files', false)
    .option('--no-decode', 'skip decoding the segments of a package')
    .option('--json', 'print the report as one JSON document', false)
    .action(async (source: string, options: InspectOptions) => await inspect(source, options));
}
