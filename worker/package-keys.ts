import { type PackageKeys, packageKeyPrefix } from '../activities/container/resolve-encryption.ts';
import { KeyHex } from '../contract/http/encryption.ts';
import { SettingError } from '../process/settings.ts';

/** Keys by name in upper case. */
export function readPackageKeys(variables: ReadonlyMap<string, string>): PackageKeys {
  const found = [...variables].filter(([name]) => name.startsWith(packageKeyPrefix));
  for (const [name, value] of found) {
    if (KeyHex.safeParse(value).success) continue;
    // The message must not contain the value.
    throw new SettingError(`${name} must be a key of 32 hex digits; make one by: openssl rand -hex 16`);
  }
  return new Map(found.map(([name, value]) => [name.slice(packageKeyPrefix.length).toUpperCase(), value]));
}
