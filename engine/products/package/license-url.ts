const clearKeySystem = 'urn:uuid:e2719d58-a985-b3c9-781a-b030af78d30e';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Adds the ClearKey licence URL to each key of the manifest (DASH-IF, "Content Protection", 7.6; pure). */
export function withLicenseUrl(manifest: string, url: string): string {
  const shown = url.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');
  const protection =
    `<ContentProtection schemeIdUri="${clearKeySystem}" value="ClearKey1.0">` +
    `<dashif:Laurl xmlns:dashif="https://dashif.org/CPS">${shown}</dashif:Laurl></ContentProtection>`;
  return manifest.replaceAll(
    /^(\s*)<ContentProtection [^>]*urn:mpeg:dash:mp4protection:2011[^>]*\/>$/gm,
    (line, indent: string) => `${line}\n${indent.replace('\n', '')}${protection}`,
  );
}
