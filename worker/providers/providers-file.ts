import type { z } from 'zod';
import { ProvidersFile } from '../../contract/provider.ts';
import { messageOf } from '../../contract/unknown-values.ts';
import { readSettingFile } from '../../process/setting-file.ts';
import { SettingError } from '../../process/settings.ts';
import { completeLocalEntries, type LocalProviderSettings } from './local-providers.ts';

export function readProvidersFile(path: string, local: LocalProviderSettings): ProvidersFile {
  const parsed = ProvidersFile.safeParse(completeLocalEntries(readJson(path), local));
  if (parsed.success) return parsed.data;
  throw new SettingError(`PROVIDERS_FILE is not valid: ${formatIssues(parsed.error)}`);
}

function readJson(path: string): unknown {
  let text: string;
  try {
    text = readSettingFile(path);
  } catch (error) {
    throw new SettingError(`PROVIDERS_FILE ${path} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SettingError(`PROVIDERS_FILE ${path} is not JSON: ${messageOf(error)}.`, { cause: error });
  }
}

function formatIssues(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'it'} ${issueText(issue)}.`).join(' ');
}

function issueText(issue: z.core.$ZodIssue): string {
  // The issue of a bad key gives no reason; the nested issues do.
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
}
