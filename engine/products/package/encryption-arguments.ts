import type { Encryption } from './package-plan.ts';

/** What Shaka Packager is told of an encryption, but for the key (pure). Nothing of aes-128, which it does to transport streams alone. */
export function encryptionArguments({ scheme, keyUri }: Encryption): string[] {
  if (scheme === 'aes-128') return [];
  const isFairPlay = keyUri !== undefined && /^skd:/i.test(keyUri);
  return [
    ...['--enable_raw_key_encryption', '--protection_scheme', scheme],
    // Without it the first seconds would be clear.
    ...['--clear_lead', '0'],
    ...(keyUri === undefined ? [] : ['--hls_key_uri', keyUri]),
    // The common system beside it is what ClearKey goes by.
    ...(isFairPlay ? ['--protection_systems', 'FairPlay,CommonSystem'] : []),
    '--flagfile=/dev/stdin',
  ];
}

/** The file of flags with the key: arguments are shown to whoever lists processes. */
export function keyFlags({ scheme, keyId = '', key }: Encryption): string | undefined {
  return scheme === 'aes-128' ? undefined : `--keys=label=:key_id=${keyId}:key=${key.toString('hex')}\n`;
}
