// Part of `npm run check`: every npm package has a licence that Holdfast may be given on with, by SPDX's names. A new one is looked at by a
// person, who adds it here. Only what is installed is looked at: of packages for other systems, the one for this.
import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { projectRoot } from './setup/places.mjs';

/** Each asks for its text and notices to be kept, and nothing of the code that uses it. */
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

/** Of tools, and of what the page is built of: changes of the package itself would have to be published. */
const allowedInDevelopment = [...allowed, 'MPL-2.0'];

/** Part of nothing that is given on, by name. */
const usedByTestsAlone = new Set(['waveform-data']);

/** What such packages mean who name a file, by whoever read it. */
const readByHand = {
  // The fonts of Bitstream Vera and Arev: free to use, to change under another name, and to give on with software.
  'dejavu-fonts-ttf': 'MIT',
  'shaka-packager': 'BSD-3-Clause',
  // They say it in their README and in LICENSE.
  'combine-errors': 'MIT',
  unionfs: 'Unlicense',
};

/** Whether an expression of SPDX is met by licences of a list. Of parentheses only those around the whole are known. */
export function isAllowed(expression, list) {
  const bare = expression.replace(/^\((.*)\)$/, '$1');
  return bare.split(' OR ').some((choice) => choice.split(' AND ').every((name) => list.includes(name)));
}

/** `name: licence` of each package of a lock file that may not be used. `licenseOf` tells that of the package at a path, undefined where it is not installed. */
export function refusedPackages(lock, licenseOf) {
  return Object.entries(lock.packages).flatMap(([path, { dev }]) => {
    const name = path.replace(/^.*node_modules\//, '');
    if (path === '' || usedByTestsAlone.has(name)) return [];
    const license = readByHand[name] ?? licenseOf(path);
    if (license === undefined || isAllowed(license, dev === true ? allowedInDevelopment : allowed)) return [];
    return [`${name}: ${license}`];
  });
}

/** Older packages have an object, or a list of them. */
function installedLicense(path) {
  const file = join(projectRoot, path, 'package.json');
  if (!existsSync(file)) return undefined;
  const { license, licenses } = JSON.parse(readFileSync(file, 'utf8'));
  const said = license ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'none';
  return typeof said === 'string' ? said : said.type;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'));
  const refused = refusedPackages(lock, installedLicense);
  if (refused.length > 0) {
    console.error(`Licences that nobody has allowed (scripts/check-licenses.mjs):\n  ${refused.join('\n  ')}`);
    process.exit(1);
  }
}
