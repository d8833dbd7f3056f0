import type { RunFilter, RunState } from '../contract/server/run.ts';

/** What the page says at first; later-texts.ts has the rest. Together they are all that it says. */
export const texts = {
  name: 'Holdfast',
  skip: 'Skip to the runs',
  nav: { label: 'Views', runs: 'Runs', operators: 'Containers' },
  connection: { connecting: 'Connecting', live: 'Live', lost: 'Connection lost, trying again' },
  signOut: 'Sign out',
  loading: 'Loading …',
  again: 'Try again',
  close: 'Close',

  start: {
    title: 'Encode something',
    drop: 'Drop sound or film here',
    dropNow: 'Let go to send it',
    choose: 'Choose files',
    noUploads: 'This server keeps no files. Give it addresses that the containers reach.',
    urls: 'Or paste addresses, one a line',
    urlsHint: 'https://…, s3://… or file:///…',
    startUrls: (count: number) => (count > 1 ? `Start ${count} runs` : 'Start'),
    wrongUrl: (url: string) => `“${url}” is no address. It has to begin with https://, s3:// or file:///.`,
    tooLarge: (name: string, most: string) => `${name} is larger than ${most}, the most that this server takes.`,
    preset: 'Make it',
    change: 'Change',
    own: 'Own settings',
    started: (name: string) => `${name}: started`,
  },

  list: {
    title: 'Runs',
    search: 'Search',
    searchHint: 'Name or address',
    filter: 'Show',
    more: 'Show more',
    none: 'Nothing has been encoded yet.',
    noneHint: 'Drop a file, and it appears here while it is being made.',
    noMatch: 'No run fits.',
    noMatchHint: 'Take away the filter or the words to see the others.',
    error: 'The runs cannot be shown.',
    select: (name: string) => `Select ${name}`,
    keys: 'Keys: / searches, ↑ and ↓ go through the runs, x selects',
    by: (owner: string) => `by ${owner}`,
  },

  filters: {
    all: 'All',
    active: 'Under way',
    waiting: 'Waiting',
    succeeded: 'Done',
    failed: 'Failed',
    cancelled: 'Cancelled',
  } satisfies Partial<Record<RunFilter | 'all', string>>,

  states: {
    queued: 'In line',
    running: 'Running',
    waiting: 'Waiting',
    succeeded: 'Done',
    failed: 'Failed',
    cancelled: 'Cancelled',
  } satisfies Record<RunState, string>,

  phases: {
    prepare: 'Getting ready',
    download: 'Fetching the source',
    probe: 'Looking at it',
    measure: 'Measuring',
    encode: 'Encoding',
    chunk: 'Cutting',
    verify: 'Checking the result',
    upload: 'Storing',
    deliver: 'Storing',
    process: 'With the provider',
    assemble: 'Writing the transcript',
    done: 'Finishing',
  } as Record<string, string>,

  waits: {
    rate_limited: 'All containers are busy',
    connection_error: 'No container answers',
    source: 'The source does not answer',
    store: 'The store does not answer',
    unknown: 'Waits',
    until: (time: string, left: string) => `tries again at ${time}, in ${left}`,
    now: 'tries again now',
  },

  queue: {
    place: (position: number) => (position === 1 ? 'next in line' : `number ${position} in line`),
    start: (time: string) => `begins in about ${time}`,
  },

  progress: {
    percent: (percent: number) => `${percent} %`,
    frames: (frames: number, fps: number) =>
      `${frames.toLocaleString('en')} ${frames === 1 ? 'frame' : 'frames'}${fps < 0.05 ? '' : `, ${fps.toFixed(fps < 10 ? 1 : 0)} a second`}`,
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
    'podcast-mp3-stereo': ['Podcast with music', 'Plays everywhere, at the loudness that apps expect'],
    'podcast-mp3-mono': ['Podcast, speech only', 'Half the size, as clear for voices'],
    'podcast-aac': ['Podcast in AAC', 'As good as mp3 at three quarters of its size'],
    'podcast-opus': ['Podcast in Opus', 'Smallest, for players that take it'],
    'radio-wav-ebu': ['Broadcast', 'WAV at the loudness of European radio'],
    'audiobook-m4b': ['Audiobook', 'With its chapters and cover'],
    'archive-flac': ['Archive', 'Nothing is lost'],
    'speech-opus': ['Speech recognition', 'Small, and enough to be understood'],
    'web-h264-1080': ['Film for the web, large', 'Plays in every browser and on every phone'],
    'web-h264-720': ['Film for the web, medium', 'Half the size, good on phones'],
    'web-h264-480': ['Film for the web, small', 'For slow connections'],
    'hls-h264': ['Streaming', 'In several sizes, of which players take what the line allows'],
    'hls-audio': ['Streaming, sound alone', 'In several qualities'],
    'social-9x16': ['Upright film for phones', 'Wide ones lose their sides'],
    'social-1x1': ['Square film', 'What is longer loses its ends'],
    'proxy-360': ['Proxy for editing', 'Small and quickly made'],
  } as Record<string, readonly [title: string, meaning: string]>,

  errors: {
    network: 'The server does not answer. It may be starting; this page tries again by itself.',
    unexpected: (status: number) => `The server answered in a way that the page does not know (${status}).`,
  },
} as const;
