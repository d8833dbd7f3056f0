import { pathOfFileUrl } from '../../contract/file-url.ts';
import { CliError } from '../cli-error.ts';

/** Path of a `file:` URL. */
export function localFileOf(text: string): string {
  const path = URL.canParse(text) ? pathOfFileUrl(new URL(text)) : undefined;
  if (path !== undefined) return path;
  throw new CliError(`"${text}" is not a local file. Use a URL such as file:///folder/talk.wav.`);
}
