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
  'SFTP_SERVER_PATH',
  'TEMPORAL_PYTHON',
];
const usesTool =
  /support\/(?:azurite|google|page-stack|processing-runs|s3|stack|temporal|time-skipping|tools|toxiproxy)\.ts'/;

/** Runs files last that need tools which are still being built, so that other files need not wait. */
export class ToolsLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    if (toolVariables.every((variable) => process.env[variable] !== undefined)) return sorted;
    const texts = await Promise.all(sorted.map(({ moduleId }) => readFile(moduleId, 'utf8')));
    const [others, waiting] = [false, true].map((waits) =>
      sorted.filter((_, index) => usesTool.test(texts[index] ?? '') === waits),
    );
    return [...(others ?? []), ...(waiting ?? [])];
  }
}
