import type { Encryption } from './package-plan.ts';

/** Arguments of Shaka Packager without the key (pure). It encrypts transport streams alone with aes-128. */
export function encryptionArguments({ scheme, keyUri }: Encryption): string[] {
  if (scheme === 'aes-128') return [];
  const isFairPlay = keyUri !== undefined && /^skd:/i.test(keyUri);
  return [
    ...['--enable_raw_key_encryption', '--protection_scheme', scheme],
    // Otherwise the first seconds would be unencrypted.
    ...['--clear_lead', '0'],
    ...(keyUri === undefined ? [] : ['--hls_key_uri', keyUri]),
    // ClearKey needs the common system beside FairPlay.
    ...(isFairPlay ? ['--protection_systems', 'FairPlay,CommonSystem'] : []),
    '--flagfile=/dev/stdin',
  ];
}

/** File of flags with the key. Arguments would be visible in the list of processes. */
export function keyFlags({ scheme, keyId = '', key }: Encryption): string | undefined {
  return scheme === 'aes-128' ? undefined : `--keys=label=:key_id=${keyId}:key=${key.toString('hex')}\n`;
}
