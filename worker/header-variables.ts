import type { Secrets } from '../activities/secrets.ts';
import { HeaderValue } from '../contract/http/headers.ts';
import { SettingError } from '../process/settings.ts';
import { readSecrets } from './bound-secrets.ts';

/** Values by the full names of their variables, as inputs refer to them. */
export function readHeaderVariables(variables: ReadonlyMap<string, string>): Secrets {
  const prefix = 'HEADER_';
  const secrets = readSecrets(variables, { prefix, nameOf: (rest) => rest, parse: parseValue });
  return new Map([...secrets].map(([name, secret]) => [prefix + name, secret]));
}

function parseValue(variable: string, value: string): string {
  if (value.trim() !== '' && HeaderValue.safeParse(value).success) return value;
  throw new SettingError(`${variable} must be printable ASCII on one line, and not blank.`);
}
