import { pathOfFileUrl } from '../../contract/file-url.ts';
import { CliError } from '../cli-error.ts';

/** The path that a `file:` URL names. */
export function localFileOf(text: string): string {
  const path = URL.canParse(text) ? pathOfFileUrl(new URL(text)) : undefined;
  if (path !== undefined) return path;
  throw new CliError(`"${text}" names nothing on this machine: it must look like file:///folder/talk.wav.`);
}
