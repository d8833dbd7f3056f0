import { expect, test } from 'vitest';
import { readSettings } from '../../cli/settings.ts';
import { SettingError } from '../../process/settings.ts';

const noFile = { TEMPORAL_CONFIG_FILE: '/nowhere' };

test('treats an empty variable as unset', () => {
  const variables = ['PORT', 'MEDIA_ROOT', 'CONTAINER_URLS', 'CONTAINER_TOKEN', 'TEMPORAL_TASK_QUEUE', 'HOLDFAST_HOME'];
  const empty = Object.fromEntries(variables.map((name) => [name, '']));
  const { inheritedEnvironment: _, ...settings } = readSettings({ ...noFile, ...empty });
  const { inheritedEnvironment: __, ...defaults } = readSettings(noFile);
  expect(settings).toEqual(defaults);
});

test('reads settings, including Temporal’s own, from the given environment', () => {
  const settings = readSettings({
    ...noFile,
    PORT: '9000',
    TEMPORAL_ADDRESS: 'temporal.example:7233',
    TEMPORAL_NAMESPACE: 'media',
    HOLDFAST_ENVIRONMENT: 'staging',
    HOLDFAST_PARENT_PID: '42',
    INIT_CWD: '/home/user',
    TERM: 'dumb',
  });
  expect(settings).toMatchObject({
    userFolder: '/home/user',
    containers: { urls: ['http://127.0.0.1:9000'], isGiven: true },
    temporal: { address: 'temporal.example:7233', isGiven: true, namespace: 'media' },
    limiterEnvironment: 'staging',
    parentPid: 42,
    isDumbTerminal: true,
  });
});

test.each([
  ['PORT', '0'],
  ['MEDIA_ROOT', 'media'],
  ['CONTAINER_URLS', 'localhost:8080'],
  ['TEMPORAL_UI_URL', 'localhost'],
  ['HOLDFAST_ENVIRONMENT', 'a b'],
  ['CONTAINER_TOKEN', 'tök'],
])('%s=%s ends the command with a sentence that names the variable', (name, value) => {
  const read = () => readSettings({ ...noFile, [name]: value });
  expect(read).toThrow(SettingError);
  expect(read).toThrow(new RegExp(`^${name} is not valid: .+\\.$`));
});
