/** Texts about results that leave the page: share links, addresses, code for players, zips. */
export const shareTexts = {
  zip: 'Download as zip',
  zipOf: (name: string) => `Download as zip: ${name}`,
  several: (count: number, size: string) => `${count} files, ${size}`,

  player: {
    title: 'Use in another player',
    addressOf: (name: string) => `${name.endsWith('.m3u8') ? 'HLS' : 'DASH'} address (${name})`,
    until: (time: string) =>
      `The address works until ${time}. A share link lasts longer. For a permanent address, unpack the zip on a web server of your own and change the address.`,
    code: 'Code for a web page',
    hls: 'hls.js',
    shaka: 'Shaka Player',
  },

  link: {
    button: 'Share…',
    title: 'Share the results',
    text: 'Anyone with the link can see and download the results, without signing in, until it expires. The link shows neither the source nor the settings, and no other run.',
    lifetime: 'Expires after',
    lifetimes: { 1: '1 hour', 24: '1 day', 168: '7 days', 720: '30 days' } as Record<string, string>,
    make: 'Make the link',
    made: (time: string) => `The link works until ${time}.`,
    address: 'Link',
    close: 'Close',
  },

  page: {
    title: 'Shared results',
    until: (time: string) => `Available until ${time}.`,
  },
} as const;
