import { presetColumns, presetRow } from '../../cli/media/presets.ts';
import { audioCodecFacts, audioCodecs, isAudioCodec } from '../../contract/audio-codecs.ts';
import { statusByErrorCode } from '../../contract/error-codes.ts';
import { containerFacts, containers, formats, isContainerName } from '../../contract/formats.ts';
import { namedLoudness } from '../../contract/loudness.ts';
import { builtInPresets } from '../../contract/presets.ts';
import { problems } from '../../contract/server/problem.ts';
import { isVideoCodec, videoCodecFacts, videoCodecs } from '../../contract/video-codecs.ts';
import { priceVariables } from '../../process/price-settings.ts';
import { storeVariables } from '../../stores/backends.ts';
import { readSettings } from './settings.ts';

/** Text of a cell; `undefined` keeps the text that the document has. */
export type Cell = string | undefined;

/** A table between `<!-- table: NAME -->` and `<!-- end of table -->`. The first cell of a row names the row. */
export interface GeneratedTable {
  document: string;
  name: string;
  columns: readonly string[];
  rows: Cell[][];
}

const code = (text: string): string => `\`${text}\``;
const codes = (texts: readonly string[] = []): string => texts.map(code).join(', ');
const figure = (value: number): string => value.toLocaleString('en-US');

/** The retry loop decides by the status alone (`activities/container/failures.ts`). */
function workflowReaction(errorCode: string, status: number): string {
  if (errorCode === 'lease_ended' || errorCode === 'other_encoder') return 'queues again';
  if (status === 429) return 'waits';
  if (status === 499) return 'is cancelled';
  return status >= 502 ? 'backs off' : 'fails';
}

const errorTable: GeneratedTable = {
  document: 'docs/reference/errors.md',
  name: 'errors',
  columns: ['code', 'status', 'means', 'workflow'],
  rows: Object.entries(statusByErrorCode).map(([name, status]) => [
    code(name),
    String(status),
    undefined,
    workflowReaction(name, status),
  ]),
};

const problemTable: GeneratedTable = {
  document: 'docs/server.md',
  name: 'errors',
  columns: ['code', 'status', 'means'],
  rows: Object.entries(problems).map(([name, { status }]) => [code(name), String(status), undefined]),
};

function formatRow(name: keyof typeof formats, suffix: string): Cell[] {
  const { container } = formats[name];
  return [code(name + suffix), code(container), code(`.${containers[container].extension}`), undefined];
}

/** A lossy codec has a format with its bitrate, and one without where it has a default bitrate. */
function formatRows(name: keyof typeof formats): Cell[][] {
  const { bitrates, defaultBitrate } = audioCodecFacts(formats[name].codec);
  if (bitrates === undefined) return [formatRow(name, '')];
  const withBitrate = formatRow(name, '_<kbit/s>');
  return defaultBitrate === undefined ? [withBitrate] : [withBitrate, formatRow(name, '')];
}

const formatTable: GeneratedTable = {
  document: 'docs/reference/audio.md',
  name: 'formats',
  columns: ['format', 'container', 'file', 'bitrates (kbit/s)'],
  rows: (Object.keys(formats) as (keyof typeof formats)[]).flatMap(formatRows),
};

const containerTable: GeneratedTable = {
  document: 'docs/reference/audio.md',
  name: 'containers',
  columns: ['container', 'file', 'audio codecs', 'video codecs'],
  rows: Object.keys(containers)
    .filter(isContainerName)
    .map((name) => {
      const { extension, audioCodecs: audio, videoCodecs: video } = containerFacts(name);
      return [code(name), code(`.${extension}`), codes(audio), codes(video)];
    }),
};

const audioCodecTable: GeneratedTable = {
  document: 'docs/reference/audio.md',
  name: 'audio codecs',
  columns: ['codec', 'channels', 'sample rates (Hz)', 'default rate'],
  rows: Object.keys(audioCodecs)
    .filter(isAudioCodec)
    .map((name) => {
      const { maxChannels, sampleRates, rateRule, preferredRate } = audioCodecFacts(name);
      const rates = sampleRates?.map(figure).join(', ') ?? rateRule?.text ?? 'any';
      return [
        code(name),
        String(maxChannels),
        rates,
        preferredRate === undefined ? "the source's" : figure(preferredRate),
      ];
    }),
};

const videoCodecTable: GeneratedTable = {
  document: 'docs/reference/video.md',
  name: 'video codecs',
  columns: [
    'codec',
    'encoder',
    '`crf`, best to worst',
    '`bitrate`',
    '`maxBitrate`',
    '`pixelFormat`',
    'default `pixelFormat`',
  ],
  rows: Object.keys(videoCodecs)
    .filter(isVideoCodec)
    .map((name) => {
      const { crf, hasTwoPasses, capsBitrate, pixelFormats, deepPixelFormat, isLossless } = videoCodecFacts(name);
      const range = crf === undefined ? undefined : `${crf.best} to ${crf.worst}, default ${crf.default}`;
      const deep = deepPixelFormat === undefined ? '' : `, deep source: ${code(deepPixelFormat)}`;
      return [
        code(name),
        undefined,
        range ?? (isLossless ? 'none: lossless' : 'none'),
        hasTwoPasses === true ? 'yes' : 'no',
        capsBitrate ? 'yes' : 'no',
        codes(pixelFormats),
        isLossless ? "the source's" : code(pixelFormats[0]) + deep,
      ];
    }),
};

const loudnessTable: GeneratedTable = {
  document: 'docs/reference/audio.md',
  name: 'loudness',
  columns: ['name', 'LUFS', 'dBTP', 'source of the figures'],
  rows: Object.entries(namedLoudness).map(([name, { integrated, truePeak }]) => [
    code(name),
    String(integrated),
    String(truePeak),
    undefined,
  ]),
};

const presetTable: GeneratedTable = {
  document: 'docs/presets.md',
  name: 'presets',
  columns: presetColumns,
  rows: Object.entries(builtInPresets).map(([name, preset]) => {
    const [_name, container = '', audio = '', besides = '', description = ''] = presetRow(name, preset);
    return [code(name), container, audio, besides === '' ? '' : code(besides), description];
  }),
};

/** Identities of a machine or pod are described only with the worker's settings. */
export const identitySettings = /^(?:AZURE_(?:CLIENT|TENANT|FEDERATED|AUTHORITY|POD)|GOOGLE_SERVICE|GCE)_/;

function settingsTable(document: string, name: string, file: string, more: readonly string[] = []): GeneratedTable {
  const elsewhere = /^(?:OTEL|RATE_LIMIT|AWS|AZURE|GOOGLE|GCE|STORAGE_EMULATOR)_/;
  const found = readSettings(file).filter((setting) => name === 'server settings' || !elsewhere.test(setting.name));
  return {
    document,
    name,
    columns: ['variable', 'default', 'means'],
    rows: [
      ...found.map((setting) => [code(setting.name), setting.byDefault, undefined]),
      ...more.map((variable) => [code(variable), 'unset', undefined]),
    ],
  };
}

export const generatedTables: readonly GeneratedTable[] = [
  errorTable,
  problemTable,
  formatTable,
  containerTable,
  audioCodecTable,
  videoCodecTable,
  loudnessTable,
  presetTable,
  settingsTable('docs/reference/settings.md', 'container settings', 'container/config.ts'),
  settingsTable('docs/reference/settings.md', 'worker settings', 'worker/environment.ts', [
    'PACKAGE_KEY_<NAME>',
    'PACKAGE_KEY_<NAME>_OWNERS',
    'HEADER_<NAME>',
    'HEADER_<NAME>_ORIGINS',
    'HEADER_<NAME>_OWNERS',
    'WEBHOOK_SECRET_<NAME>',
    'WEBHOOK_SECRET_<NAME>_ORIGINS',
    'WEBHOOK_SECRET_<NAME>_OWNERS',
  ]),
  settingsTable(
    'docs/server.md',
    'server settings',
    'server/config.ts',
    Object.keys({ ...storeVariables, ...priceVariables }).filter((name) => !identitySettings.test(name)),
  ),
];
