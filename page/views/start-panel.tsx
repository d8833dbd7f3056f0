import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isChoosing, typedUrls } from '../state/chooser-state.ts';
import { remembered } from '../state/remembered.ts';
import { session } from '../state/session.ts';
import { takeFiles, takeUrls } from '../state/take-files.ts';
import { linesOf } from '../words/lines-of.ts';
import { presetTitle } from '../words/preset-words.ts';
import { texts } from '../texts.ts';

/** Starts runs from dropped files and pasted URLs, anywhere on the page. */
export function StartPanel() {
  const isOver = useSignal(false);
  useEffect(() => {
    const stop = new AbortController();
    const on = <Type extends keyof WindowEventMap>(type: Type, listen: (event: WindowEventMap[Type]) => void): void =>
      addEventListener(type, listen, { signal: stop.signal });
    on('dragover', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      isOver.value = true;
    });
    on('dragleave', (event) => {
      if (event.relatedTarget === null) isOver.value = false;
    });
    on('drop', (event) => {
      isOver.value = false;
      if (!hasFiles(event)) return;
      event.preventDefault();
      void takeFiles(event.dataTransfer?.files ?? []);
    });
    on('paste', (event) => {
      if (isField(event.target)) return;
      const files = event.clipboardData?.files ?? [];
      const text = event.clipboardData?.getData('text/plain').trim() ?? '';
      if (files.length > 0) void takeFiles(files);
      else if (text !== '' && findWrongUrl(linesOf(text)) === undefined) typedUrls.value = text;
    });
    return () => stop.abort();
  }, []);
  return (
    <section class="start card" aria-labelledby="start">
      <h2 id="start">{texts.start.title}</h2>
      <DropZone isOver={isOver.value} />
      <LastChoice />
      <UrlForm />
    </section>
  );
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

// An import from `contract/` would load the rules of a run with the first view.
const schemes = new Set([
  ...['https:', 'http:', 'file:', 's3:', 'az:', 'gs:'],
  ...['sftp:', 'webdav+https:', 'webdav+http:'],
]);

/** The first invalid URL. */
function findWrongUrl(urls: readonly string[]): string | undefined {
  return urls.find((url) => !URL.canParse(url) || !schemes.has(new URL(url).protocol));
}

function DropZone({ isOver }: { isOver: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  if (session.value.state !== 'ready') return null;
  if (session.value.server.uploads === undefined) return <p class="quiet">{texts.start.noUploads}</p>;
  return (
    <div class={`drop${isOver ? ' over' : ''}`}>
      <span class="waves" aria-hidden="true">
        {[0, 1, 2, 3, 4, 5, 6, 7, 8].map((index) => (
          <span key={index} />
        ))}
      </span>
      <p>{isOver ? texts.start.dropNow : texts.start.drop}</p>
      <button type="button" class="main" onClick={() => input.current?.click()}>
        {texts.start.choose}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept="audio/*,video/*,.mka,.mkv,.m4b,.flac,.opus,.mxf"
        onChange={(event) => {
          void takeFiles(event.currentTarget.files ?? []);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}

/** The results that are chosen when the dialog opens. */
function LastChoice() {
  return (
    <div class="last">
      <dl aria-label={texts.start.last}>
        {(['sound', 'film'] as const).map((kind) => (
          <div key={kind}>
            <dt class="quiet">{texts.start.kinds[kind]}</dt>
            <dd>{remembered.value[kind].map(presetTitle).join(', ')}</dd>
          </div>
        ))}
      </dl>
      <button type="button" aria-haspopup="dialog" onClick={() => (isChoosing.value = true)}>
        {texts.start.change}
      </button>
    </div>
  );
}

function UrlForm() {
  const wrong = useSignal<string | undefined>(undefined);
  const lines = linesOf(typedUrls.value);
  const submit = (event: Event): void => {
    event.preventDefault();
    wrong.value = findWrongUrl(lines);
    if (wrong.value === undefined && lines.length > 0) void takeUrls(lines);
  };
  return (
    <form class="urls" onSubmit={submit}>
      <label class="field">
        {texts.start.urls}
        <textarea
          rows={Math.min(6, Math.max(2, lines.length))}
          placeholder={texts.start.urlsHint}
          spellcheck={false}
          value={typedUrls.value}
          aria-invalid={wrong.value !== undefined}
          aria-describedby={wrong.value === undefined ? undefined : 'wrong-url'}
          onInput={(event) => (typedUrls.value = event.currentTarget.value)}
        />
      </label>
      {wrong.value !== undefined && (
        <p id="wrong-url" class="bad" role="alert">
          {texts.start.wrongUrl(wrong.value)}
        </p>
      )}
      {lines.length > 0 && (
        <button type="submit" class="main">
          {texts.start.next}
        </button>
      )}
    </form>
  );
}
