import { generateKeyPairSync } from 'node:crypto';

/** A new key of a service account, and the file in which Google gives it out. */
export function googleKey() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const email = 'worker@media.iam.gserviceaccount.com';
  return { publicKey, file: JSON.stringify({ type: 'service_account', client_email: email, private_key: pem }) };
}
