import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { run } from '../support/process.ts';
import { filesIn, projectRoot, textOf } from '../support/project-files.ts';
import { toolPath } from '../support/tools.ts';

const actionlint = await toolPath('ACTIONLINT_PATH');

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
