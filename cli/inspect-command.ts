import type { Command } from 'commander';
import type { InspectOptions } from './commands/inspect.ts';

export function addInspectCommand(
  program: Command,
  inspect: (source: string, options: InspectOptions) => Promise<void>,
): void {
  program
    .command('inspect')
    .usage('-- <file-or-URL> [--out <folder>] [--json]')
    .description(
      'tell what a recording or a film is like (loudness, clipping, silence, phase, noise, bandwidth; streams, colours, frame rate), or what is wrong with a package for streaming',
    )
    .argument(
      '<file-or-URL>',
      'a file of this machine, or a URL: https://, http:// or s3://. Of a package its .m3u8, its .mpd (not s3://), or the folder of both',
    )
    .option(
      '-o, --out <folder>',
      'write the report, a waveform, a spectrogram and a contact sheet there, as far as there are sound and pictures',
    )
    .option('--overwrite', 'replace files that exist', false)
    .option('--no-decode', 'of a package: do not decode its segments')
    .option('--json', 'print the report as one JSON document', false)
    .action(inspect);
}
