import type { RunFilter, RunState } from '../contract/server/run.ts';

/** Texts of the first view. The other texts of the page are in later-texts.ts, progress-texts.ts and share-texts.ts. */
export const texts = {
  name: 'Holdfast',
  skip: 'Skip to runs',
  nav: { label: 'Views', runs: 'Runs', operators: 'Containers' },
  connection: { connecting: 'Connecting', live: 'Live', lost: 'Connection lost, reconnecting' },
  signOut: 'Sign out',
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
    urlsHint: 'https://…, s3://… or file:///…',
    startUrls: (count: number) => (count > 1 ? `Start ${count} runs` : 'Start'),
    wrongUrl: (url: string) => `“${url}” is not a valid URL. Start with https://, s3:// or file:///.`,
    preset: 'Preset',
    change: 'Change',
    own: 'Custom settings',
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
    'podcast-mp3-stereo': ['Podcast with music', 'Plays everywhere, at the loudness of podcast apps'],
    'podcast-mp3-mono': ['Podcast, speech only', 'Half the size, equally clear speech'],
    'podcast-aac': ['Podcast in AAC', 'MP3 quality at three quarters of the size'],
    'podcast-opus': ['Podcast in Opus', 'Smallest, for players that support Opus'],
    'radio-wav-ebu': ['Broadcast', 'WAV at European broadcast loudness'],
    'audiobook-m4b': ['Audiobook', 'With chapters and cover'],
    'archive-flac': ['Archive', 'Lossless'],
    'speech-opus': ['Speech recognition', 'Small mono file for transcription'],
    'web-h264-1080': ['Web video, large', 'Plays in every browser and on every phone'],
    'web-h264-720': ['Web video, medium', 'Half the size, good on phones'],
    'web-h264-480': ['Web video, small', 'For slow connections'],
    'hls-h264': ['Video streaming', 'Several sizes; players choose by bandwidth'],
    'hls-audio': ['Audio streaming', 'Several bitrates; players choose by bandwidth'],
    'social-9x16': ['Vertical video for phones', 'Crops the sides of wide video'],
    'social-1x1': ['Square video', 'Crops the longer sides'],
    'proxy-360': ['Proxy for editing', 'Small and fast to encode'],
  } as Record<string, readonly [title: string, meaning: string]>,

  errors: {
    network: 'The server does not answer. It may be starting; this page retries automatically.',
  },
} as const;
