import { contentTypeOfName } from '../../contract/formats.ts';

/** Types, by extension, of files that Holdfast does not produce. */
const others: Record<string, string> = {
  ...{ mp4: 'video/mp4', m4v: 'video/mp4', webm: 'video/webm', ogv: 'video/ogg', oga: 'audio/ogg', opus: 'audio/ogg' },
  ...{ aac: 'audio/aac', aif: 'audio/aiff', aiff: 'audio/aiff', wma: 'audio/x-ms-wma', avi: 'video/x-msvideo' },
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', webp: 'image/webp', svg: 'image/svg+xml' },
  ...{ m3u8: 'application/vnd.apple.mpegurl', mpd: 'application/dash+xml', m4s: 'video/iso.segment' },
  ...{ json: 'application/json', vtt: 'text/vtt', srt: 'text/plain', txt: 'text/plain' },
};

export function contentTypeOfFile(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const own = Object.hasOwn(others, extension) ? others[extension] : undefined;
  return own ?? contentTypeOfName(name.toLowerCase());
}

/** Whether a browser can show the type without running any part of it. Other types are downloads. */
export function isSafeInline(contentType: string): boolean {
  return /^(?:audio|video)\/|^image\/(?:png|jpeg|webp)$|^(?:application\/(?:json|vnd\.apple\.mpegurl)|text\/plain|text\/vtt)$/.test(
    contentType,
  );
}
