import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defaultLocalModel, isLocalKey, localProvider } from '../../contract/local-provider.ts';
import { Provider, ProviderKey, type ProvidersFile } from '../../contract/provider.ts';
import { isRecord } from '../../contract/unknown-values.ts';

export interface LocalProviderSettings {
  /** Base URL of the engine; undefined declares no local keys. */
  url: string | undefined;
  /** Folder with a folder for each further model. */
  modelsPath: string | undefined;
}

/** A large model on a slow machine takes minutes for a chunk of a minute. The first call also installs the engine. */
const timeoutSeconds = 600;

/** One call occupies all cores. The machine itself limits the calls of a minute and of an hour. */
const limits = {
  maxConcurrent: 1,
  requestsPerMinute: 10_000,
  requestsPerHour: 600_000,
  burstLimit: 10_000,
  permitSeconds: timeoutSeconds + 30,
};

/** The keys `local/<model>` that need no PROVIDERS_FILE. */
export function localProviders({ url, modelsPath }: LocalProviderSettings): ProvidersFile {
  if (url === undefined) return {};
  const keys = [defaultLocalModel, ...(modelsPath === undefined ? [] : modelsIn(modelsPath))].map(
    (model) => `${localProvider}/${model}`,
  );
  return Object.fromEntries(keys.map((key) => [key, Provider.parse(transcriberAt(url, key))]));
}

/**
 * Content of PROVIDERS_FILE in which the transcriber's defaults complete the entries of local keys without a URL: only the
 * stack knows the port of its transcriber.
 */
export function completeLocalEntries(content: unknown, { url }: LocalProviderSettings): unknown {
  if (url === undefined || !isRecord(content)) return content;
  const complete = (key: string, entry: Record<string, unknown>) => {
    const { limits: own = {}, model = key } = entry;
    return { ...transcriberAt(url, String(model)), ...entry, limits: isRecord(own) ? { ...limits, ...own } : own };
  };
  const entries = Object.entries(content).map(([key, entry]) => {
    const isOwn = isLocalKey(key) && isRecord(entry) && entry['url'] === undefined;
    return [key, isOwn ? complete(key, entry) : entry] as const;
  });
  return Object.fromEntries(entries);
}

/** `model`: its name or its key. */
function transcriberAt(url: string, model: string) {
  return {
    kind: 'openai-transcription',
    url: `${url}/v1/audio/transcriptions`,
    // Whisper's models for English alone are named so.
    ...(!model.endsWith('.en') && { translationUrl: `${url}/v1/audio/translations` }),
    voices: true,
    timeoutSeconds,
    limits,
  };
}

/** Folders with a model in CTranslate2's format; transcriber/server.py has the same rule. */
function modelsIn(folder: string): string[] {
  return readdirSync(folder).filter(
    (name) => ProviderKey.safeParse(`${localProvider}/${name}`).success && existsSync(join(folder, name, 'model.bin')),
  );
}
