/** Texts of runs that have not ended. */
export const progressTexts = {
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

  segments: {
    title: 'Segments',
    done: (done: number, all: number) => `${done} of ${all} encoded`,
    sound: 'Sound',
    segment: (number: number) => `Segment ${number}`,
    second: (name: string) => `${name}, second job`,
    running: (percent: number) => `${percent} %`,
    queued: 'waiting for a container',
    waiting: 'waiting to retry',
    at: (container: string) => `at ${container}`,
  },
} as const;
