import { defineConfig } from 'vite';

const sharedParts = new RegExp(
  [
    String.raw`node_modules/@?preact|vite/preload-helper|api-client/(?!(?:tus-|s3-)?upload|webhooks)`,
    String.raw`page/(?:texts|api/\w+|state/(?:list-filters|notices|now|route|runs|session|remembered|chooser-state|take-files)|words/(?:format|run-words|preset-words))\.ts`,
  ].join('|'),
);

function isShared(id: string): boolean {
  return sharedParts.test(id);
}

/** The rules for requests: the contract with zod. Some of its tables and pure functions are also used without them. */
function isRule(id: string): boolean {
  return /node_modules\/zod|page\/state\/(?:plain-zod|choice-problem)|\/contract\/(?!formats\.ts|transcript\/|milliseconds\.ts|unknown-values\.ts)/.test(
    id,
  );
}

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2024',
    // The page's content security policy forbids inline code and data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Code that the first view shares with others forms one chunk, because several chunks compress worse.
    // The first view names every other chunk, so small ones that are loaded together are grouped.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'shared', test: isShared },
            {
              name: 'later',
              test: /page\/(?:(?:later|progress)-texts\.ts|views\/(?:axes|cancel-button|id-words|list-tools|login|question-button|run-progress)\.tsx|state\/(?:act-on|notifications|now|or-tell)|words\/(?:ended-words|parts-of-id|progress-words|ticks))/,
            },
            {
              name: 'sending',
              test: /(?:page\/(?:views\/upload-list\.tsx|state\/(?:begun-|unfinished-)?uploads|state\/(?:start-runs|new-outputs)|words\/(?:kept-upload|upload-words|speed))|contract\/formats\.ts)/,
            },
            { name: 'rules', test: isRule },
          ],
        },
      },
    },
  },
});
