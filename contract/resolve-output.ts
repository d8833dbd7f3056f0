import { isFilmImageKind } from './analyses.ts';
import { resolveAnalysis } from './analysis-settings.ts';
import { definedFields } from './defined-fields.ts';
import { resolveFilmImage } from './film-image-settings.ts';
import { analysisKindOf, analysisOptionsOf } from './http/analysis.ts';
import type { DescribedOutput } from './http/output.ts';
import { type PackageKind, packageFields } from './http/package.ts';
import type { Preset } from './http/preset.ts';
import type { VideoOptions } from './http/video.ts';
import { outputLabel } from './output-label.ts';
import type { OutputSettings } from './output-settings.ts';
import { type PackageSettings, resolvePackage } from './package-settings.ts';
import type { Presets } from './presets.ts';
import { resolveFile, samplesForAnalysis } from './resolve-file.ts';
import { overrideSubtitles, settleSubtitles } from './subtitle-settings.ts';
import { type OutputNaming, UnsupportedOutput } from './unsupported-output.ts';
import { overrideVideo } from './video-settings.ts';

function nameOutput(request: DescribedOutput): OutputNaming {
  const { format, preset, analysis, image, package: kinds, container } = request;
  const label = outputLabel(request);
  if (format !== undefined) return { label, named: { format } };
  if (analysis !== undefined) return { label, named: { analysis } };
  if (image !== undefined) return { label, named: { image } };
  if (preset !== undefined) return { label, named: { preset } };
  return { label, named: kinds === undefined ? { container } : { package: kinds } };
}

/** Applies presets and defaults to an output (pure). Throws `UnsupportedOutput` if no source makes it possible. */
export function resolveOutput(request: DescribedOutput, presets: Presets): OutputSettings {
  const naming = nameOutput(request);
  const { preset = '', optional: isOptional = false } = request;
  const base = Object.hasOwn(presets, preset) ? presets[preset] : undefined;
  const kinds = request.package ?? base?.package;
  checkFields({ ...base, ...definedFields(request) }, kinds !== undefined, naming);
  if (kinds !== undefined) return resolvePackageOutput(request, base, kinds, presets, naming);
  const kind = analysisKindOf(request);
  if (kind === undefined) return resolveFile(request, presets, naming);
  const options = analysisOptionsOf(request);
  if (isFilmImageKind(kind)) {
    return { kind: 'image', ...naming, image: resolveFilmImage(kind, options, naming), isOptional };
  }
  const analysis = resolveAnalysis(kind, options);
  const samples = resolveFile(request, presets, naming, samplesForAnalysis);
  return { kind: 'analysis', ...naming, analysis, samples, isOptional };
}

/** The schema of outputs cannot check the fields of presets. */
const plainFields = [
  ...(['container', 'metadata', 'chapters', 'cover', 'silence'] as const),
  ...(['channels', 'downmix', 'sampleRate', 'quality', 'target', 'fragmented'] as const),
];

function checkFields(said: Record<string, unknown>, isPackage: boolean, naming: OutputNaming): void {
  if (!isPackage && Array.isArray(said['audio'])) {
    throw new UnsupportedOutput(naming, 'audio may be a list only for packages');
  }
  const wrong = (isPackage ? plainFields : packageFields).find((field) => said[field] !== undefined);
  if (wrong === undefined) return;
  throw new UnsupportedOutput(naming, `${wrong} is ${isPackage ? 'not for packages' : 'only for packages'}`);
}

function resolvePackageOutput(
  request: DescribedOutput,
  base: Preset | undefined,
  kinds: PackageKind[],
  presets: Presets,
  naming: OutputNaming,
): PackageSettings {
  const { audio, encryption } = request;
  const asked = audio ?? base?.audio;
  const video = overrideVideo(base?.video ?? {}, request.video);
  if (asked === false && !video) throw new UnsupportedOutput(naming, 'it would have neither sound nor pictures');
  if (video && video.bitrate !== undefined) {
    throw new UnsupportedOutput(naming, 'its sizes have no average bitrate; give each of its renditions a maxBitrate');
  }
  if (video && video.keyframeInterval !== undefined) {
    throw new UnsupportedOutput(naming, 'its key frames follow segmentSeconds; leave keyframeInterval out');
  }
  if (video && video.copy === true) {
    throw new UnsupportedOutput(
      naming,
      'a package cannot have copied pictures, because they need key frames where its segments begin',
    );
  }
  const merged = { ...definedFields(base ?? {}), ...definedFields(request) };
  const { renditions, perTitle, segmentSeconds, layout, thumbnails } = merged;
  const { loudness, level, watermark, track, trim, fade, verify } = merged;
  const subtitles = overrideSubtitles(base?.subtitles, request, naming);
  const ofPictures = Object.entries({ watermark, subtitles: settleSubtitles(subtitles) });
  const [without] = video ? [] : (ofPictures.find(([, value]) => value !== undefined) ?? []);
  if (without !== undefined) throw new UnsupportedOutput(naming, `${without} needs pictures, and it has none`);
  const wanted = {
    ...{ kinds, renditions, perTitle, segmentSeconds, layout, thumbnails, encryption },
    isSilent: asked === false,
    tracks: asked === false ? undefined : asked && [asked].flat(),
    hasPictures: Boolean(video),
    // A preset's sound beside pictures is optional.
    needsAudio: !video || Boolean(audio),
  };
  return resolvePackage(wanted, naming, ({ video: sized, ...part }) => {
    const pictures: VideoOptions | false = sized && video ? { ...video, ...sized } : false;
    const ofSound = part.audio === false ? {} : { loudness, level, track };
    const shared = { ...(pictures && { watermark, subtitles }), ...ofSound, trim, fade, verify };
    return resolveFile({ ...shared, ...part, video: pictures, chapters: 'none', cover: 'none' }, presets, naming);
  });
}
