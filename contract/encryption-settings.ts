import type { ContainerEncryption } from './http/encryption.ts';
import type { PackageOptions } from './http/package.ts';
import type { ContainerLink } from './http/tags.ts';
import { type OutputNaming, UnsupportedOutput } from './unsupported-output.ts';

/** Encryption of a package's segments, and where players get the key. */
export interface EncryptionSettings {
  scheme: ContainerEncryption['scheme'];
  /** Hex digits, or a link to the key. */
  key: string | ContainerLink;
  /** 32 hex digits; cbcs and cenc only. */
  keyId: string | undefined;
  keyUri: string | undefined;
  licenseUrl: string | undefined;
}

function problemOf(
  { scheme, keyUri, licenseUrl }: ContainerEncryption,
  { kinds, layout }: { kinds: readonly string[]; layout: PackageOptions['layout'] },
): string | undefined {
  if (scheme === 'aes-128') {
    if (kinds.includes('dash')) return 'aes-128 is only for HLS; for DASH use the scheme cenc or cbcs';
    if (layout === 'byte_ranges') return 'aes-128 encrypts whole files; leave out "layout": "byte_ranges"';
  }
  const isFairPlay = keyUri !== undefined && /^skd:/i.test(keyUri);
  if (isFairPlay && scheme !== 'cbcs') return 'a keyUri of skd:// is for FairPlay, which needs the scheme cbcs';
  if (kinds.includes('hls')) {
    if (keyUri === undefined) return 'players of HLS get the key by a URI in the playlists; set keyUri in encryption';
  } else if (keyUri !== undefined) return 'keyUri is for HLS, and this package is DASH';
  if (licenseUrl !== undefined && !kinds.includes('dash')) return 'licenseUrl is for DASH, and this package is HLS';
  return undefined;
}

/** Applies the defaults and refuses an encryption that such a package cannot have (pure). */
export function settleEncryption(
  encryption: ContainerEncryption,
  wanted: { kinds: readonly string[]; layout: PackageOptions['layout'] },
  naming: OutputNaming,
): EncryptionSettings {
  const problem = problemOf(encryption, wanted);
  if (problem !== undefined) throw new UnsupportedOutput(naming, problem);
  const { scheme, key, keyUrl = '', headers, keyId, keyUri, licenseUrl } = encryption;
  return {
    ...{ scheme, keyUri, licenseUrl },
    key: key ?? { url: keyUrl, ...(headers !== undefined && { headers }) },
    keyId: keyId?.replaceAll('-', ''),
  };
}
