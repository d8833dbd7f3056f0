import { z } from 'zod';
import { checkDescribedOutput, describedOutputShape, type DescribedOutput } from '../../contract/http/output.ts';
import { CliError } from '../cli-error.ts';
import { readJsonArgument } from './json-argument.ts';

/** An output as in a request, without its upload target, which the command sets. */
const JsonOutput = z.strictObject(describedOutputShape).superRefine(checkDescribedOutput);

/** Parses `--output`: JSON or the path of a JSON file, with one output or a list. */
export function readJsonOutputs(texts: readonly string[], userFolder: string): DescribedOutput[] {
  return texts.flatMap((text) => {
    const { where, json } = readJsonArgument('--output', text, { userFolder, example: '{"preset": "web-h264-720"}' });
    return parseOutputs(json, where);
  });
}

function parseOutputs(json: unknown, where: string): DescribedOutput[] {
  const outputs = Array.isArray(json) ? json : [json];
  if (outputs.length === 0) throw new CliError(`${where} is an empty list.`);
  return outputs.map((output: unknown, index) => {
    const parsed = JsonOutput.safeParse(output);
    if (parsed.success) return parsed.data;
    const place = outputs.length === 1 ? '' : ` of output ${index}`;
    const sentences = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}${place}: ${message}`);
    throw new CliError(`${where} cannot be used. ${sentences.join('; ')}.`);
  });
}
