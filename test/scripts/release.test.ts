import { expect, test } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { run } from '../support/process.ts';
import { filesIn, projectRoot, textOf } from '../support/project-files.ts';
import { toolPath } from '../support/tools.ts';

const actionlint = await toolPath('ACTIONLINT_PATH');

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  with?: Record<string, string>;
}

const release = parse(textOf('.github/workflows/release.yml')) as {
  jobs: Record<string, { steps: Step[]; outputs?: object; permissions?: object }>;
};

/** Commands of the step of `publish` whose name starts with this text. */
function stepOf(name: string): string {
  return release.jobs['publish']?.steps.find((step) => step.name?.startsWith(name))?.run ?? '';
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
  expect([...new Set(parts)]).toEqual(['image', 'vmaf', 'transcriber']);
  expect(joined).toEqual(['image', 'vmaf', 'transcriber']);
  expect(attested).toEqual(joined);
});

test('a release publishes the client and the command at npm, with their provenance', () => {
  const lines = stepOf('Publish @holdfast/client').split('\n');
  expect(lines.filter((line) => line.startsWith('npm publish'))).toEqual(
    Array.from({ length: 2 }, () => 'npm publish --access public --provenance'),
  );
  expect(lines.findIndex((line) => line === 'npm pkg delete private')).toBeGreaterThan(lines.indexOf('cd ..'));
  expect(release.jobs['publish']?.permissions).toMatchObject({ 'id-token': 'write' });
});
