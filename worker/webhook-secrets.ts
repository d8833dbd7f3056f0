import { Webhook as Signer } from 'standardwebhooks';
import type { WebhookSecrets } from '../activities/webhook/send-webhook.ts';
import { SettingError } from '../process/settings.ts';
import { readSecrets } from './bound-secrets.ts';

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
