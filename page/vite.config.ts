import { defineConfig } from 'vite';

const sharedParts = new RegExp(
  [
    String.raw`node_modules/@?preact|vite/preload-helper|api-client/(?!(?:tus-|s3-)?upload|webhooks)`,
    String.raw`page/(?:texts|api/\w+|state/(?:notices|now|route|runs|session|chosen-preset|own-settings|take-files)|words/(?:format|run-words|preset-words))\.ts`,
  ].join('|'),
);

function isShared(id: string): boolean {
  return sharedParts.test(id);
}

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2024',
    // The policy of the page allows no script and no style in the document, and no data: URL but for pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What the first view shares with others, in one piece: several compress worse.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'shared', test: isShared }] } },
    },
  },
});
