// Prints the section of CHANGELOG.md for a tag, without its heading. Fails if the packages have another version.
//   node scripts/release-notes.mjs v0.3.0
import { readFileSync } from 'node:fs';

const [tag = ''] = process.argv.slice(2);
const version = tag.replace(/^v/, '');
const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

try {
  for (const path of ['package.json', 'api-client/package.json']) {
    const found = JSON.parse(read(path)).version;
    if (found !== version) throw new Error(`${path} has version ${found}, but the tag is "${tag}".`);
  }
  const sections = read('CHANGELOG.md').split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## [${version}]".`);
  console.log(section.slice(section.indexOf('\n')).trim());
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
