import type { Command, Option } from 'commander';
import { builtInPresets } from '../../contract/presets.ts';

interface DescribedOption {
  /** `--out`, `-o` */
  flags: string[];
  help: string;
  takesValue: boolean;
  /** Values that the option accepts; empty if it takes others, such as files. */
  values: string[];
}

export interface DescribedCommand {
  /** Words after `holdfast`: `encode`, or `runs cancel`. */
  words: string[];
  help: string;
  options: DescribedOption[];
  /** Values of its argument; empty for files. */
  values: string[];
  subcommands: string[];
}

const helpOption: DescribedOption = { flags: ['--help', '-h'], help: 'display help', takesValue: false, values: [] };

/** Describes all commands of the program. `processes` are further commands, without options. */
export function describeCommands(program: Command, processes: readonly string[]): DescribedCommand[] {
  return [
    ...program.commands.flatMap((command) => describe(command, [])),
    ...processes.map((name) => ({
      words: [name],
      help: 'start this process of a deployment',
      options: [],
      values: [],
      subcommands: [],
    })),
  ];
}

function describe(command: Command, before: readonly string[]): DescribedCommand[] {
  const words = [...before, command.name()];
  const described: DescribedCommand = {
    words,
    help: command.description(),
    options: [...command.options.map(describeOption), helpOption],
    values: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    subcommands: command.commands.map((one) => one.name()),
  };
  return [described, ...command.commands.flatMap((one) => describe(one, words))];
}

function describeOption(option: Option): DescribedOption {
  const { long, short, description, required, optional, argChoices } = option;
  const named = option.attributeName() === 'preset' ? Object.keys(builtInPresets) : [];
  return {
    flags: [long, short].filter((flag) => flag !== undefined),
    help: description,
    takesValue: required || optional,
    values: argChoices ?? named,
  };
}
