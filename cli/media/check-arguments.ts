import { Option, type Command } from 'commander';
import { type CheckOptions, checkOptionsShape, QualityTarget } from '../../contract/http/checks.ts';
import { CliError } from '../cli-error.ts';
import { parseNumberAs } from '../option-values.ts';

/** As they are typed. */
export interface CheckArguments {
  verify?: CheckOptions['verify'];
  quality?: true;
  targetVmaf?: number;
  targetPercentile1?: number;
}

const { vmaf, percentile1 } = QualityTarget.shape;

export function withCheckOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--verify <how>', 'full: decode each finished file from end to end (default: headers)').choices(
        checkOptionsShape.verify.unwrap().options,
      ),
    )
    .option('--quality', 'measure VMAF, PSNR and SSIM of encoded pictures (needs `npm run setup:vmaf` once)')
    .option(
      '--target-vmaf <number>',
      'in place of --crf: find the one by which pictures have this VMAF, such as 95',
      parseNumberAs(vmaf.optional()),
    )
    .option(
      '--target-percentile1 <number>',
      'beside it: what all but one picture in a hundred are to have',
      parseNumberAs(percentile1),
    );
}

/** What the options say of an output (pure). */
export function checksOfOutput(typed: CheckArguments, isFilm: boolean): CheckOptions {
  const { verify, quality, targetVmaf, targetPercentile1 } = typed;
  const isTarget = targetVmaf !== undefined && isFilm;
  return {
    ...(verify !== undefined && { verify }),
    ...(quality !== undefined && isFilm && { quality }),
    ...(isTarget && {
      target: { vmaf: targetVmaf, ...(targetPercentile1 !== undefined && { percentile1: targetPercentile1 }) },
    }),
  };
}

/** Options that need one another. */
export function assertTargets({ targetVmaf, targetPercentile1 }: CheckArguments): void {
  if (targetPercentile1 !== undefined && targetVmaf === undefined) {
    throw new CliError('--target-percentile1 needs --target-vmaf.');
  }
}
