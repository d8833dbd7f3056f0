/** Licences that a person read in packages that only name a file, or nothing. */
const readByHand = {
  // Bitstream Vera and Arev fonts: free to use, to change under another name, and to redistribute with software.
  'dejavu-fonts-ttf': 'MIT',
  'shaka-packager': 'BSD-3-Clause',
  // Their README and LICENSE state the licence.
  'combine-errors': 'MIT',
  unionfs: 'Unlicense',
};

/** Licence in the package.json of an npm package. Older packages have an object or a list of objects. */
export function npmLicense({ name, license, licenses }) {
  const said = readByHand[name] ?? license ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'none';
  return typeof said === 'string' ? said : said.type;
}
