// The Python packages of an image, from the records that pip leaves. Used inside the image's build.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Debian's Python finds packages of pip in this folder. */
const folder = '/usr/local/lib/python3.11/dist-packages';

/** A name as PyPI compares it (PEP 503). */
const normalized = (name) => name.toLowerCase().replace(/[-_.]+/g, '-');

function readPackage(text) {
  // The text after the first empty line is a description.
  const [head] = text.split(/\r?\n\r?\n/);
  const all = (field) => [...head.matchAll(new RegExp(`^${field}: *(.+?)\\s*$`, 'gim'))].map(([, value]) => value);
  const [name] = all('Name').map(normalized);
  const classified = all('Classifier').flatMap(
    (value) => /^License :: (?:OSI Approved :: )?(.+)$/.exec(value)?.[1] ?? [],
  );
  const [license] = [
    ...all('License-Expression'),
    ...all('License').filter((said) => said !== 'UNKNOWN'),
    ...classified,
  ];
  return {
    name,
    version: all('Version')[0],
    license,
    // Needs of extras are optional.
    needs: all('Requires-Dist').flatMap((need) =>
      /;.*\bextra\b/.test(need) ? [] : [normalized(/^[\w.-]+/.exec(need)[0])],
    ),
  };
}

/** Empty in an image without Python packages. */
export function pythonPackages() {
  const records = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.dist-info')) : [];
  return records.map((record) => readPackage(readFileSync(`${folder}/${record}/METADATA`, 'utf8')));
}
