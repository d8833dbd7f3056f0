import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { checkDescribedOutput, describedOutputShape, type DescribedOutput } from '../../contract/http/output.ts';
import { CliError } from '../cli-error.ts';
import { describeDiskError } from './disk-error.ts';

/** An output as in a request, without its upload target, which the command sets. */
const JsonOutput = z.strictObject(describedOutputShape).superRefine(checkDescribedOutput);

/** Parses `--output`: JSON or the path of a JSON file, with one output or a list. */
export function readJsonOutputs(texts: readonly string[], userFolder: string): DescribedOutput[] {
  return texts.flatMap((text) => {
    const isJson = /^\s*[[{]/.test(text);
    const where = isJson ? '--output' : `--output ${text}`;
    return parseOutputs(isJson ? text : readText(resolve(userFolder, text), text), where);
  });
}

function readText(path: string, typed: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(
      `--output takes JSON such as '{"preset": "web-h264-720"}' or a JSON file. "${typed}" cannot be read: ${describeDiskError(error)}.`,
    );
  }
}

function parseOutputs(text: string, where: string): DescribedOutput[] {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new CliError(`${where} is not JSON: ${(error as Error).message}.`);
  }
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
