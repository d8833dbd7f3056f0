import { Option, type Command } from 'commander';
import { type CheckOptions, checkOptionsShape, QualityTarget } from '../../contract/http/checks.ts';
import { CliError } from '../cli-error.ts';
import { parseNumberAs } from '../option-values.ts';

export interface CheckArguments {
  verify?: CheckOptions['verify'];
  quality?: true;
  targetVmaf?: number;
  targetPercentile1?: number;
  targetPer?: 'scene';
}

const { vmaf, percentile1 } = QualityTarget.shape;

export function withCheckOptions(command: Command): Command {
  return command
    .optionsGroup('Checks and quality:')
    .addOption(
      new Option('--verify <how>', 'verification; full decodes each finished file (default: headers)').choices(
        checkOptionsShape.verify.unwrap().options,
      ),
    )
    .option('--quality', 'measure VMAF, PSNR and SSIM of encoded video (run `npx holdfast setup-vmaf` once before)')
    .option(
      '--target-vmaf <number>',
      'choose the CRF that reaches this VMAF, such as 95, instead of --crf',
      parseNumberAs(vmaf.optional()),
    )
    .option(
      '--target-percentile1 <number>',
      'VMAF that 99 % of the frames must reach, with --target-vmaf',
      parseNumberAs(percentile1),
    )
    .addOption(
      new Option('--target-per <part>', 'scene: choose a CRF for each scene, with --target-vmaf').choices(['scene']),
    );
}

/** The check fields of an output. */
export function checksOfOutput(typed: CheckArguments, isFilm: boolean): CheckOptions {
  const { verify, quality, targetVmaf, targetPercentile1, targetPer } = typed;
  const isTarget = targetVmaf !== undefined && isFilm;
  return {
    ...(verify !== undefined && { verify }),
    ...(quality !== undefined && isFilm && { quality }),
    ...(isTarget && {
      target: {
        vmaf: targetVmaf,
        ...(targetPercentile1 !== undefined && { percentile1: targetPercentile1 }),
        ...(targetPer !== undefined && { per: targetPer }),
      },
    }),
  };
}

export function assertTargets({ targetVmaf, targetPercentile1, targetPer }: CheckArguments): void {
  if (targetPercentile1 !== undefined && targetVmaf === undefined) {
    throw new CliError('--target-percentile1 needs --target-vmaf.');
  }
  if (targetPer !== undefined && targetVmaf === undefined) throw new CliError('--target-per needs --target-vmaf.');
}
