import { expect, test } from 'vitest';
import { ChunkingInput } from '../../contract/workflow/chunking.ts';
import { EncodeInput } from '../../contract/workflow/encode.ts';
import { InspectInput } from '../../contract/workflow/inspect.ts';
import { ProcessingInput } from '../../contract/workflow/processing.ts';
import { textFields } from './input-fields.ts';

/** Names that are limited to their owner; `secrets.test.ts` and `files.test.ts` try each of them as two owners. */
const limited = [
  /^owner$/,
  /headers\{\}\.env$/,
  /^webhook\.secret$/,
  /\.encryption\.key$/,
  /^(?:transcript\.)?provider(?:\[\])?$/,
  /(?:^|\.)(?:url|sourceUrl|uploadUrl|uploadUrlPrefix|keyUrl)$/,
];

/** Texts that name nothing that belongs to anybody. A field that the workers or the server look up belongs above. */
const inert = new Set([
  ...['fairnessKey', 'format', 'sourceName', 'sourceSha256', 'track'],
  // Literal values, which are the caller's own.
  ...['headers{}', 'chunks[].headers{}', 'outputs[].headers{}', 'outputs[].chapters.headers{}'],
  ...['outputs[].cover.headers{}', 'outputs[].encryption.headers{}', 'outputs[].subtitles.add[].headers{}'],
  ...['outputs[].subtitles.burn.headers{}', 'outputs[].watermark.headers{}'],
  // Formats, codecs, presets and tracks.
  ...['outputs[].format', 'outputs[].container', 'outputs[].preset', 'outputs[].track', 'outputs[].at'],
  ...['outputs[].audio.codec', 'outputs[].audio[].codec', 'outputs[].audio[].track', 'outputs[].video.codec'],
  ...['outputs[].video.level', 'outputs[].video.pad', 'outputs[].subtitles.burn', 'outputs[].subtitles.keep[]'],
  // Words that the provider is told.
  'vocabulary[]',
  // Tags, colours, and what players get.
  ...['outputs[].audio[].language', 'outputs[].audio[].name', 'outputs[].chapters.fromSilence.title'],
  ...['outputs[].chapters[].title', 'outputs[].colors.background', 'outputs[].colors.waveform', 'outputs[].metadata{}'],
  ...['outputs[].captions.language', 'outputs[].captions.title'],
  ...['outputs[].subtitles.add[].language', 'outputs[].subtitles.add[].title'],
  ...['outputs[].encryption.keyId', 'outputs[].encryption.keyUri', 'outputs[].encryption.licenseUrl'],
]);

/** Facts of an earlier result, which are only repeated. */
const facts = /^resume\.(?:setId$|(?:chunks\[\]|encoded)\.(?!url$))/;

test.each(Object.entries({ EncodeInput, ChunkingInput, ProcessingInput, InspectInput }))(
  'each text of %s names nothing, or is limited to its owner',
  (_name, schema) => {
    const unknown = textFields(schema).filter(
      (field) => !inert.has(field) && !facts.test(field) && !limited.some((name) => name.test(field)),
    );
    expect(unknown).toEqual([]);
  },
);
