export type PlayerKind = 'hls' | 'shaka';

/** Libraries from a public CDN, in the major versions with which the code was tested. */
const hlsUrl = 'https://cdn.jsdelivr.net/npm/hls.js@1/dist/hls.min.js';
const shakaUrl = 'https://cdn.jsdelivr.net/npm/shaka-player@5/dist/shaka-player.compiled.js';

/** HTML that plays a package on any web page. */
export function playerCode(kind: PlayerKind, url: string): string {
  const address = JSON.stringify(url).replaceAll('<', String.raw`\u003c`);
  const lines =
    kind === 'hls'
      ? [
          `<script src="${hlsUrl}"></script>`,
          '<script>',
          `  const url = ${address};`,
          `  const video = document.getElementById('film');`,
          '  if (Hls.isSupported()) {',
          '    const hls = new Hls();',
          '    hls.loadSource(url);',
          '    hls.attachMedia(video);',
          '  } else {',
          '    video.src = url; // Safari on iPhones plays HLS itself.',
          '  }',
          '</script>',
        ]
      : [
          `<script src="${shakaUrl}"></script>`,
          '<script type="module">',
          `  const url = ${address};`,
          '  shaka.polyfill.installAll();',
          '  const player = new shaka.Player();',
          `  await player.attach(document.getElementById('film'));`,
          '  await player.load(url);',
          '</script>',
        ];
  return ['<video id="film" controls playsinline></video>', ...lines].join('\n');
}
