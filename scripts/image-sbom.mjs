// Runs inside the image's build and prints one CycloneDX document of the image's contents. It reads npm's own record of
// the installation, because `npm sbom --omit=dev` omits packages that a development dependency needs as well (npm
// 11.19). A time and a serial number are left out, so that two builds are equal.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const { version, license } = readJson('package.json');

/** An SPDX expression has no lower-case words but these, and no sentence. */
function licenses(text) {
  if (text === undefined) return {};
  return {
    licenses: [
      /^[\w.+()-]+(?: (?:AND|OR|WITH) [\w.+()-]+)*$/.test(text) ? { expression: text } : { license: { name: text } },
    ],
  };
}

function hashes(integrity) {
  const [, digest] = /^sha512-(\S+)/.exec(integrity ?? '') ?? [];
  return digest === undefined
    ? {}
    : { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] };
}

const npm = Object.entries(readJson('node_modules/.package-lock.json').packages)
  // Some packages were removed again.
  .filter(([path]) => existsSync(`${path}/package.json`))
  .map(([path, facts]) => {
    const name = facts.name ?? path.replace(/^.*node_modules\//, '');
    return {
      type: 'library',
      'bom-ref': `npm:${path}`,
      name,
      version: facts.version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${facts.version}`,
      ...hashes(facts.integrity),
      ...licenses(facts.license),
    };
  });

const format = '${Package}\t${Version}\t${Architecture}\n';
const debian = execFileSync('dpkg-query', ['--show', `--showformat=${format}`], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .map((line) => {
    const [name, debianVersion, architecture] = line.split('\t');
    const copyright = `/usr/share/doc/${name}/copyright`;
    return {
      type: 'library',
      'bom-ref': `deb:${name}:${architecture}`,
      name,
      version: debianVersion,
      purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(debianVersion)}?arch=${architecture}`,
      // Debian's licences are texts without names.
      ...(existsSync(copyright) && { properties: [{ name: 'debian:copyright', value: copyright }] }),
    };
  });

/** Programs unknown to npm and dpkg. */
const [vmafWords] = execFileSync('/usr/local/bin/vmaf-ffmpeg', ['-version'], { encoding: 'utf8' }).split(' Copyright');
const programs = [
  { name: 'node', version: process.versions.node, ...licenses('MIT') },
  { name: 'vmaf-ffmpeg', version: vmafWords.replace('ffmpeg version ', ''), ...licenses('GPL-3.0-or-later') },
].map((program) => ({ type: 'application', 'bom-ref': `program:${program.name}`, ...program }));

const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    component: { type: 'container', 'bom-ref': 'holdfast', name: 'holdfast', version, ...licenses(license) },
  },
  components: [...npm, ...debian, ...programs].toSorted((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1)),
};
process.stdout.write(`${JSON.stringify(bom, null, 1)}\n`);
