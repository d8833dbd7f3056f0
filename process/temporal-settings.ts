import { loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig';
import { messageOf } from '../contract/unknown-values.ts';
import { SettingError } from './settings.ts';

/** Temporal's own variables (TEMPORAL_*) and its profile in temporal.toml; an empty variable has a meaning there. */
export function readTemporalSettings(environment: NodeJS.ProcessEnv): ClientConnectConfig {
  const entries = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  try {
    return loadClientConnectConfig({ overrideEnvVars: Object.fromEntries(entries) });
  } catch (error) {
    const reason = messageOf(error);
    throw new SettingError(`The TEMPORAL_* settings cannot be read: ${reason.replace(/\.$/, '')}.`, { cause: error });
  }
}
