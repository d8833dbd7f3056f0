import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readConfig as readContainerConfig } from '../../container/config.ts';
import { PresetsSetting } from '../../process/presets-setting.ts';
import { FolderSetting, ListenPortSetting, TokenSetting, wholeNumber } from '../../process/setting-types.ts';
import { parseSettings, SettingError } from '../../process/settings.ts';
import { readTemporalSettings } from '../../process/temporal-settings.ts';
import { readConfig as readServerConfig } from '../../server/config.ts';
import { testFolder } from '../support/folder.ts';
import { readConfig as readWorkerConfig } from '../../worker/config.ts';

const schema = z.object({
  PORT: ListenPortSetting.default(8080),
  SECONDS: wholeNumber(1).optional(),
  TOKEN: TokenSetting.optional(),
  FOLDER: FolderSetting.optional(),
});

test('an empty variable counts as unset', () => {
  expect(parseSettings(schema, { PORT: '', TOKEN: '', OTHER: 'x' })).toEqual({ PORT: 8080 });
});

test.each([
  ['PORT', '65536', 'must be a whole number from 0 to 65535'],
  ['PORT', '80.5', 'must be a whole number from 0 to 65535'],
  ['PORT', 'http', 'must be a whole number from 0 to 65535'],
  ['PORT', '70000.5', 'must be a whole number from 0 to 65535'],
  ['SECONDS', '0', 'must be a whole number of at least 1'],
  ['TOKEN', 'two words', 'must be printable ASCII without spaces'],
  ['TOKEN', ' ', 'it holds only spaces'],
  ['PORT', '  ', 'it holds only spaces'],
  ['FOLDER', '/nowhere/at/all', 'must be an existing folder'],
])('%s="%s" throws one sentence: %s', (name, value, reason) => {
  expect(() => parseSettings(schema, { [name]: value })).toThrow(new SettingError(`${name} is not valid: ${reason}.`));
});

test('each bad variable gets a sentence', () => {
  expect(() => parseSettings(schema, { PORT: 'x', SECONDS: ' ' })).toThrow(
    'SECONDS is not valid: it holds only spaces. PORT is not valid: must be a whole number from 0 to 65535.',
  );
});

test('a broken profile of Temporal is a bad setting', () => {
  const read = () => readTemporalSettings({ TEMPORAL_CONFIG_FILE: import.meta.filename });
  expect(read).toThrow(SettingError);
  expect(read).toThrow(/^The TEMPORAL_\* settings cannot be read: .+\.$/s);
});

test.each(['/dev/zero', '/dev/tty', '/dev'])('PRESETS_FILE must be a file, not %s', (path) => {
  const read = () => parseSettings(z.object({ PRESETS_FILE: PresetsSetting }), { PRESETS_FILE: path });
  expect(read).toThrow(/^PRESETS_FILE is not valid: .* cannot be read: /);
});

test('a pipe in the place of any setting’s file stops the process with a sentence instead of hanging it', async () => {
  const folder = testFolder();
  const path = join(folder, 'pipe');
  await promisify(execFile)('mkfifo', [path]);
  for (const [read, name] of [
    [readServerConfig, 'SERVER_TOKENS_FILE'],
    [readServerConfig, 'PAYLOAD_KEY_FILE'],
    [readWorkerConfig, 'PAYLOAD_KEY_FILE'],
    [readWorkerConfig, 'PROVIDERS_FILE'],
    [readWorkerConfig, 'STORE_LOGINS_FILE'],
    [readContainerConfig, 'PRESETS_FILE'],
  ] as const) {
    const environment = {
      TEMPORAL_CONFIG_FILE: '/nowhere',
      RELAY_URL: 'http://relay:8090',
      RELAY_PORT: '8090',
      [name]: path,
    };
    expect(() => read(environment), name).toThrow(new RegExp(`^${name} .*cannot be read`));
  }
});
