import type { RunFilter, RunState } from '../contract/server/run-state.ts';

/** Texts of the first view. The other texts of the page are in chooser-texts.ts, later-texts.ts, progress-texts.ts and share-texts.ts. */
export const texts = {
  name: 'Holdfast',
  skip: 'Skip to runs',
  nav: { label: 'Views', runs: 'Runs', operators: 'Containers and usage' },
  connection: { connecting: 'Connecting', live: 'Live', lost: 'Connection lost, reconnecting' },
  signOut: 'Sign out',
  signOutNow: 'Uploads or changes are not finished. Sign out anyway?',
  loading: 'Loading…',
  again: 'Try again',
  close: 'Close',

  start: {
    title: 'New run',
    drop: 'Drop audio or video files here',
    dropNow: 'Drop to upload',
    choose: 'Choose files',
    noUploads: 'This server does not store files. Paste URLs that the containers can reach.',
    urls: 'Or paste URLs, one per line',
    urlsHint: 'https://…, s3://…, sftp://… or file:///…',
    next: 'Choose results',
    wrongUrl: (url: string) =>
      `“${url}” is not a valid URL. Start with https://, s3://, az://, gs://, sftp://, webdav+https:// or file:///.`,
    last: 'Results of your last choice',
    kinds: { sound: 'Audio', film: 'Video' },
    change: 'Change',
  },

  list: {
    title: 'Runs',
    search: 'Search',
    searchHint: 'File name or run id',
    filter: 'State',
    filters: 'Filters',
    more: 'Show more',
    none: 'No runs yet',
    noneHint: 'Choose a file to start the first one.',
    noMatch: 'No matching runs',
    noMatchHint: 'Change the filter or the search to see other runs.',
    error: 'The runs cannot be loaded.',
    select: (name: string) => `Select ${name}`,
    by: (owner: string) => `by ${owner}`,
  },

  filters: {
    all: 'All',
    active: 'Active',
    waiting: 'Waiting',
    succeeded: 'Succeeded',
    failed: 'Failed',
    cancelled: 'Cancelled',
  } satisfies Partial<Record<RunFilter | 'all', string>>,

  states: {
    queued: 'Queued',
    running: 'Running',
    waiting: 'Waiting',
    succeeded: 'Succeeded',
    failed: 'Failed',
    cancelled: 'Cancelled',
  } satisfies Record<RunState, string>,

  sound: {
    kbit: (rate: number) => `${rate} kbit/s`,
    mono: 'mono',
    stereo: 'stereo',
    channels: (count: number) => `${count} channels`,
  },

  presets: {
    'podcast-mp3-stereo': 'Podcast with music',
    'podcast-mp3-mono': 'Podcast, speech only',
    'podcast-aac': 'Podcast in AAC',
    'podcast-opus': 'Podcast in Opus',
    'radio-wav-ebu': 'Broadcast',
    'audiobook-m4b': 'Audiobook',
    'archive-flac': 'Archive',
    'speech-opus': 'Speech recognition',
    'web-h264-1080': 'Web video, large',
    'web-h264-720': 'Web video, medium',
    'web-h264-480': 'Web video, small',
    'web-hevc-1080': 'Web video in HEVC',
    'web-av1-1080': 'Web video in AV1',
    'web-vp9-1080': 'Web video in VP9',
    'deinterlace-web': 'Web video from television',
    'hdr-to-sdr': 'HDR to standard colours',
    'hls-h264': 'Video streaming',
    'hls-hevc': 'Video streaming in HEVC',
    'hls-av1': 'Video streaming in AV1',
    'hls-audio': 'Audio streaming',
    'social-9x16': 'Vertical video, cropped',
    'social-9x16-blur': 'Vertical video, whole picture',
    'social-1x1': 'Square video',
    'archive-ffv1': 'Video archive',
    'mezzanine-prores': 'ProRes for editing',
    'proxy-360': 'Proxy for editing',
  } as Record<string, string>,

  errors: {
    network: 'The server does not answer. It may be starting, or this device may be offline.',
  },
} as const;
