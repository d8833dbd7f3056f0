import type { RunFilter, RunState } from '../contract/server/run.ts';

/** Texts of the first view. All other texts of the page are in later-texts.ts. */
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
    more: 'Show more',
    none: 'No runs yet',
    noneHint: 'Choose a file to start the first one.',
    noMatch: 'No matching runs',
    noMatchHint: 'Change the filter or the search to see other runs.',
    error: 'The runs cannot be loaded.',
    select: (name: string) => `Select ${name}`,
    keys: 'Keyboard: / to search, ↑ and ↓ to move, x to select',
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

  phases: {
    prepare: 'Preparing',
    download: 'Downloading the source',
    probe: 'Inspecting the source',
    measure: 'Measuring',
    encode: 'Encoding',
    chunk: 'Cutting chunks',
    verify: 'Verifying the result',
    upload: 'Uploading',
    deliver: 'Uploading',
    process: 'Calling the provider',
    assemble: 'Writing the transcript',
    done: 'Finishing',
  } as Record<string, string>,

  waits: {
    rate_limited: 'All containers are busy',
    connection_error: 'No container answers',
    source: 'The source does not answer',
    store: 'The store does not answer',
    unknown: 'Waiting',
    until: (time: string, left: string) => `retry at ${time}, in ${left}`,
    now: 'retrying now',
  },

  queue: {
    place: (position: number) => (position === 1 ? 'next in the queue' : `number ${position} in the queue`),
    start: (time: string) => `starts in about ${time}`,
  },

  progress: {
    percent: (percent: number) => `${percent} %`,
    frames: (frames: number, fps: number) =>
      `${frames.toLocaleString('en')} ${frames === 1 ? 'frame' : 'frames'}${fps < 0.05 ? '' : `, ${fps.toFixed(fps < 10 ? 1 : 0)} fps`}`,
    label: 'Progress',
    eta: (time: string) => `about ${time} left`,
    attempt: (attempt: number) => `attempt ${attempt}`,
  },

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
