import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { testFolder } from '../support/folder.ts';
import { run } from '../support/process.ts';
import { filesIn, projectRoot, textOf } from '../support/project-files.ts';
import { toolPath } from '../support/tools.ts';

const actionlint = await toolPath('ACTIONLINT_PATH');

interface Step {
  id?: string;
  name?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, string>;
}

interface Job {
  steps: Step[];
  outputs?: Record<string, string>;
  permissions?: object;
  strategy?: { matrix: { include: object[] } };
}

const release = parse(textOf('.github/workflows/release.yml')) as { jobs: Record<string, Job> };
const architectures = ['amd64', 'arm64'];
const images = ['image', 'vmaf', 'transcriber'];

/** The step of a job with this id, or whose name starts with this text. */
function stepIn(job: string, name: string): Step {
  return release.jobs[job]?.steps.find((step) => step.id === name || step.name?.startsWith(name) === true) ?? {};
}

/** Commands of the step of `publish` whose name starts with this text. */
function stepOf(name: string): string {
  return stepIn('publish', name).run ?? '';
}

const notesOf = async (tag: string) =>
  await run(process.execPath, ['scripts/release-notes.mjs', tag], { cwd: projectRoot });

test('actionlint finds no fault in the workflows', async () => {
  const workflows = filesIn('.github/workflows', ['.yml']);
  expect(workflows).not.toEqual([]);
  const linted = await run(actionlint, ['-no-color', ...workflows], { cwd: projectRoot });
  expect(linted).toMatchObject({ code: 0, output: '' });
});

test('workflows use actions by their commit', () => {
  const used = filesIn('.github/workflows', ['.yml']).flatMap((path) => textOf(path).match(/uses: .+/g) ?? []);
  expect(used).not.toEqual([]);
  expect(used.filter((line) => !/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

test('the notes of a release are its section of the changelog', async () => {
  const { code, output } = await notesOf(`v${packageJson.version}`);
  expect(code).toBe(0);
  expect(textOf('CHANGELOG.md')).toContain(`\n\n${output.trim()}\n`);
  expect(output).toContain('### Added');
  expect(output).not.toContain('\n## ');
});

test('the notes of a version are not those of a version whose number begins alike', async () => {
  const folder = testFolder();
  const files = {
    'scripts/release-notes.mjs': textOf('scripts/release-notes.mjs'),
    'package.json': '{"version": "0.3.1"}',
    'api-client/package.json': '{"version": "0.3.1"}',
    'CHANGELOG.md': '# Changelog\n\n## [0.3.10] - later\n\nTen.\n\n## [0.3.1] - earlier\n\nOne.\n',
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const notes = await run(process.execPath, ['scripts/release-notes.mjs', 'v0.3.1'], { cwd: folder });
  expect(notes).toMatchObject({ code: 0, output: 'One.' });
});

test('a tag of another version than that of the packages is no release', async () => {
  const { code, output } = await notesOf('v99.0.0');
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringContaining(`package.json has version ${packageJson.version}, but the tag is "v99.0.0".`),
  });
});

test('a release builds each image over one base, and joins, signs and attests both architectures of each', () => {
  const steps = release.jobs['image']?.steps ?? [];
  const builds = steps.filter(({ uses }) => uses?.startsWith('docker/build-push-action@')).map((step) => step.with);
  expect(builds.map((options) => options?.['target'])).toEqual([undefined, 'vmaf', 'transcriber']);
  for (const options of builds) {
    expect(options).toMatchObject({
      'build-args': 'BASE_IMAGE=${{ needs.version.outputs.base }}',
      provenance: 'mode=max',
    });
  }
  const published = release.jobs['publish']?.steps ?? [];
  const parts = Object.keys(release.jobs['image']?.outputs ?? {}).map((name) => name.replace(/-a(?:md|rm)64$/, ''));
  const joined = [...stepOf('Join both').matchAll(/^join (\w+) /gm)].map(([, part]) => part);
  const attested = published
    .filter(({ uses }) => uses?.startsWith('actions/attest-build-provenance@'))
    .map((step) => /outputs\.(\w+)/.exec(step.with?.['subject-digest'] ?? '')?.[1]);
  expect([...new Set(parts)]).toEqual(images);
  expect(joined).toEqual(images);
  expect(attested).toEqual(joined);
});

test('a release needs a successful check of its commit, which is the complete one', () => {
  expect(stepIn('version', 'CI has passed').run).toContain(
    '--workflow ci --commit "$GITHUB_SHA" --status success --json databaseId',
  );
  const ci = parse(textOf('.github/workflows/ci.yml')) as { name: string; jobs: Record<string, Job> };
  expect(ci.name).toBe('ci');
  expect(ci.jobs['ci']?.steps.at(-1)?.run).toBe('.ci/run');
});

test('every commit of main is checked by a machine that may start containers, with time for all of .ci/run', () => {
  const { on, jobs } = parse(textOf('.github/workflows/ci.yml')) as {
    on: { push: object };
    jobs: { ci: { container: { options: string }; 'timeout-minutes': number } };
  };
  expect(on.push).toEqual({ branches: ['main'] });
  // Without these rights `npm run check:image` is skipped, and CI passes.
  expect(jobs.ci.container.options).toBe('--privileged');
  const minutes = Number(/^ends_by_seconds=\$\(\((\d+) \* 60\)\)$/m.exec(textOf('.ci/run'))?.[1]);
  expect(jobs.ci['timeout-minutes']).toBeGreaterThan(minutes);
});

test('each job of a release may do what its steps do, and each architecture is built on a machine of its own', () => {
  expect(release.jobs['image']?.permissions).toEqual({ contents: 'read', packages: 'write' });
  expect(release.jobs['publish']?.permissions).toEqual({
    contents: 'write',
    packages: 'write',
    'id-token': 'write',
    attestations: 'write',
  });
  expect(release.jobs['image']?.strategy?.matrix.include).toEqual([
    { architecture: 'amd64', runner: 'ubuntu-24.04' },
    { architecture: 'arm64', runner: 'ubuntu-24.04-arm' },
  ]);
});

test('the digest of each image reaches the name and the tag that it is published by', () => {
  const builds: Record<string, string> = { image: 'build', vmaf: 'vmaf', transcriber: 'transcriber' };
  const { env: built = {}, run: written = '' } = stepIn('image', 'digests');
  for (const image of images) {
    const [, variable = ''] = new RegExp(`echo "${image}-\\$ARCHITECTURE=\\$(\\w+)"`).exec(written) ?? [];
    expect({ image, digest: built[variable] }).toEqual({
      image,
      digest: `\${{ steps.${builds[image]}.outputs.digest }}`,
    });
  }
  const names = images.flatMap((image) => architectures.map((architecture) => `${image}-${architecture}`));
  expect(release.jobs['image']?.outputs).toEqual(
    Object.fromEntries(names.map((name) => [name, `\${{ steps.digests.outputs.${name} }}`])),
  );
  const { env: joined = {}, run: commands = '' } = stepIn('publish', 'Join both');
  const variables = names.map((name) => [name.toUpperCase().replace('-', '_'), name] as const);
  expect(joined).toEqual(
    Object.fromEntries(variables.map(([variable, name]) => [variable, `\${{ needs.image.outputs.${name} }}`])),
  );
  expect(commands.match(/^join .+$/gm)).toEqual([
    'join image "$IMAGE" "$GITHUB_REF_NAME" "$IMAGE_AMD64" "$IMAGE_ARM64"',
    'join vmaf "$IMAGE" "$GITHUB_REF_NAME-vmaf" "$VMAF_AMD64" "$VMAF_ARM64"',
    'join transcriber "$IMAGE-transcriber" "$GITHUB_REF_NAME" "$TRANSCRIBER_AMD64" "$TRANSCRIBER_ARM64"',
  ]);
});

test('the index of both architectures is signed, and each list of contents is attested for its index', () => {
  const commands = stepOf('Join both');
  expect(commands).toContain('docker buildx imagetools create --tag "$2:$3" "$2@$4" "$2@$5"\n');
  expect(commands).toContain('cosign sign --yes --recursive "$2@$digest"\n');
  expect(commands).toContain('cosign attest --yes --type cyclonedx --predicate "$bom" "$2@$digest"\n');
});

test('a release publishes the client and the command at npm, with their provenance', () => {
  const lines = stepOf('Publish @holdfast/client').split('\n');
  expect(lines.filter((line) => line.startsWith('npm publish'))).toEqual(
    Array.from({ length: 2 }, () => 'npm publish --access public --provenance'),
  );
  expect(lines.findIndex((line) => line === 'npm pkg delete private')).toBeGreaterThan(lines.indexOf('cd ..'));
});
