// Part of `npm run check`: every npm package has a licence that permits redistribution, by SPDX name. A person reviews
// a new licence and adds it here, or in npm-license.mjs. Only installed packages are checked; of packages for other systems, only the one for
// this system.
import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { npmLicense } from './npm-license.mjs';
import { projectRoot } from './setup/places.mjs';

/** Licences that require only their text and notices to be kept, and nothing of code that uses the package. */
const allowed = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
  'Zlib',
];

/** Licences for tools and for what the page is built from: changes to the package itself would have to be published. */
const allowedInDevelopment = [...allowed, 'MPL-2.0'];

/** Packages, by name, that are not part of anything distributed. */
const usedByTestsAlone = new Set(['waveform-data']);

/**
 * Whether an SPDX expression is met by a list of licences. Only parentheses around the whole expression are understood.
 */
export function isAllowed(expression, list) {
  const bare = expression.replace(/^\((.*)\)$/, '$1');
  return bare.split(' OR ').some((choice) => choice.split(' AND ').every((name) => list.includes(name)));
}

/**
 * Lists `name: licence` for each package of a lock file whose licence is not allowed. `licenseOf` returns undefined for
 * a package that is not installed.
 */
export function refusedPackages(lock, licenseOf) {
  return Object.entries(lock.packages).flatMap(([path, { dev }]) => {
    const name = path.replace(/^.*node_modules\//, '');
    if (path === '' || usedByTestsAlone.has(name)) return [];
    const license = licenseOf(path);
    if (license === undefined || isAllowed(license, dev === true ? allowedInDevelopment : allowed)) return [];
    return [`${name}: ${license}`];
  });
}

function installedLicense(path) {
  const file = join(projectRoot, path, 'package.json');
  return existsSync(file) ? npmLicense(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'));
  const refused = refusedPackages(lock, installedLicense);
  if (refused.length > 0) {
    console.error(`Licences that nobody has allowed (scripts/check-licenses.mjs):\n  ${refused.join('\n  ')}`);
    process.exit(1);
  }
}
