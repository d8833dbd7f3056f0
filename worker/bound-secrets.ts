import { Webhook as Signer } from 'standardwebhooks';
import type { BoundSecret, Secrets } from '../activities/secrets.ts';
import { OwnerName } from '../contract/workflow/owner-name.ts';
import { SettingError } from '../process/settings.ts';
import { HeaderValue } from '../contract/http/headers.ts';
import { KeyHex } from '../contract/http/encryption.ts';
import type { WebhookSecrets } from '../activities/webhook/send-webhook.ts';
import { isHttpOrigin } from './environment.ts';

/** `A_ORIGINS` binds the secret `A`, and is never the name of a secret. */
const binding = /^(?<secret>.+)_(?<kind>ORIGINS|OWNERS)$/;

interface SecretKind<Value> {
  prefix: string;
  /** Name of a secret, by the part of its variable after the prefix. */
  nameOf(rest: string): string;
  /** Throws a SettingError, whose message must not contain the value. */
  parse(variable: string, value: string): Value;
  /** False for secrets that are sent nowhere. */
  hasOrigins?: boolean;
}

/** Reads all secrets of a kind, with the origins and owners to which the variables beside them bind them. */
export function readSecrets<Value>(
  variables: ReadonlyMap<string, string>,
  { prefix, nameOf, parse, hasOrigins = true }: SecretKind<Value>,
): Secrets<Value> {
  const found = [...variables]
    .filter(([variable]) => variable.startsWith(prefix))
    .map(([variable, value]) => ({ variable, value, name: nameOf(variable.slice(prefix.length)) }));
  const variableByName = new Map<string, string>();
  for (const { variable, name } of found) {
    const other = variableByName.get(name);
    if (other !== undefined) throw new SettingError(`${other} and ${variable} name the same secret.`);
    variableByName.set(name, variable);
  }
  const secrets = new Map<string, BoundSecret<Value>>();
  for (const { variable, value, name } of found) {
    if (!binding.test(name)) secrets.set(name, { value: parse(variable, value) });
  }
  // A binding without its secret is no error: workers of different roles may share the bindings but not the secrets.
  for (const { variable, value, name } of found) {
    const { secret = '', kind } = binding.exec(name)?.groups ?? {};
    if (kind === undefined) continue;
    if (kind === 'ORIGINS' && !hasOrigins) {
      throw new SettingError(`${variable} cannot be set, because such a secret is sent to no origin.`);
    }
    const bound =
      kind === 'ORIGINS' ? { origins: parseOrigins(variable, value) } : { owners: parseOwners(variable, value) };
    const known = secrets.get(secret);
    if (known !== undefined) secrets.set(secret, { ...known, ...bound });
  }
  return secrets;
}

function parseOrigins(variable: string, text: string): ReadonlySet<string> {
  const origins = text.split(/[\s,]+/).filter((origin) => origin !== '');
  if (origins.length > 0 && origins.every(isHttpOrigin))
    return new Set(origins.map((origin) => new URL(origin).origin));
  throw new SettingError(`${variable} must be origins such as https://media.example.com, separated by commas.`);
}

function parseOwners(variable: string, text: string): ReadonlySet<string> {
  const owners = text.split(',').map((owner) => owner.trim());
  if (owners.every((owner) => OwnerName.safeParse(owner).success)) return new Set(owners);
  throw new SettingError(`${variable} must be names of owners, separated by commas.`);
}

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

/** Keys by name in upper case. */
export function readPackageKeys(variables: ReadonlyMap<string, string>): Secrets {
  return readSecrets(variables, {
    prefix: 'PACKAGE_KEY_',
    nameOf: (rest) => rest.toUpperCase(),
    parse: parseKey,
    hasOrigins: false,
  });
}

function parseKey(variable: string, value: string): string {
  if (KeyHex.safeParse(value).success) return value;
  // The message must not contain the value.
  throw new SettingError(`${variable} must be a key of 32 hex digits; make one by: openssl rand -hex 16`);
}

/**
 * Secrets by name in upper case. A variable may hold several secrets separated by spaces; messages are signed with all
 * of them.
 */
export function readWebhookSecrets(variables: ReadonlyMap<string, string>): WebhookSecrets {
  return readSecrets(variables, {
    prefix: 'WEBHOOK_SECRET_',
    nameOf: (rest) => rest.toUpperCase(),
    parse: parseSecrets,
  });
}

function parseSecrets(name: string, value: string): string[] {
  const secrets = value.split(/\s+/).filter((secret) => secret !== '');
  // The message must not contain the value.
  if (secrets.length === 0 || !secrets.every(isSecret)) {
    throw new SettingError(
      `${name} must be secrets as Standard Webhooks writes them, whsec_ and 24 to 64 bytes in base64, with a space between two; make one by: echo whsec_$(openssl rand -base64 32)`,
    );
  }
  return secrets;
}

/** https://github.com/standard-webhooks/standard-webhooks, "Signature scheme" */
function isSecret(secret: string): boolean {
  if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) return false;
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64').length;
  if (bytes < 24 || bytes > 64) return false;
  try {
    new Signer(secret).sign('msg', new Date(0), '');
    return true;
  } catch {
    return false;
  }
}
