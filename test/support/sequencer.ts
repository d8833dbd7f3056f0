import { readFile } from 'node:fs/promises';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const toolVariables = [
  'TEMPORAL_CLI_PATH',
  'TEMPORAL_TEST_SERVER_PATH',
  'RCLONE_PATH',
  'TOXIPROXY_PATH',
  'VERSITYGW_PATH',
  'AZURITE_PATH',
  'FAKE_GCS_PATH',
  'CHROMIUM_PATH',
  'MUTAGEN_PYTHON',
  'PROMTOOL_PATH',
  'KUSTOMIZE_PATH',
  'ACTIONLINT_PATH',
  'SFTP_SERVER_PATH',
  'TEMPORAL_PYTHON',
];
const usesTool =
  /support\/(?:azurite|google|page-stack|processing-runs|s3|sftp|stack|temporal|time-skipping|tools|toxiproxy|webdav)\.ts'/;

/** Files that take about a minute though they are short. Vitest starts the largest files first, and these would be the last. */
const slowest = /(?:media\/kinds|page\/segments|transcriber\/server)\.slow\.test\.ts$/;

/**
 * Runs the slowest files first, so that no worker runs alone at the end. Files that need tools which are still being built
 * run last, so that other files need not wait.
 */
export class ToolsLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => (slowest.test(moduleId) ? 0 : 1);
    const sorted = (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
    if (toolVariables.every((variable) => process.env[variable] !== undefined)) return sorted;
    const texts = await Promise.all(sorted.map(({ moduleId }) => readFile(moduleId, 'utf8')));
    const [others, waiting] = [false, true].map((waits) =>
      sorted.filter((_, index) => usesTool.test(texts[index] ?? '') === waits),
    );
    return [...(others ?? []), ...(waiting ?? [])];
  }
}
