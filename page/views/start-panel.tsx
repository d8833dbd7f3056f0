import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { messageOf } from '../api/holdfast.ts';
import { chosenPreset } from '../state/chosen-preset.ts';
import { tell } from '../state/notices.ts';
import { type PresetView, session } from '../state/session.ts';
import { takeFiles } from '../state/take-files.ts';
import { PresetChoice } from './preset-choice.tsx';
import { linesOf } from '../words/lines-of.ts';
import { texts } from '../texts.ts';

/** Starts runs from dropped files and pasted URLs, anywhere on the page. */
export function StartPanel() {
  const urls = useSignal('');
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
      else if (text !== '' && findWrongUrl(linesOf(text)) === undefined) urls.value = text;
    });
    return () => stop.abort();
  }, []);
  return (
    <section class="start card" aria-labelledby="start">
      <h2 id="start">{texts.start.title}</h2>
      <DropZone isOver={isOver.value} />
      <PresetChoice />
      <UrlForm urls={urls.value} onChange={(text) => (urls.value = text)} />
    </section>
  );
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

/** The first invalid URL. */
function findWrongUrl(urls: readonly string[]): string | undefined {
  return urls.find((url) => !URL.canParse(url) || !['https:', 'http:', 's3:', 'file:'].includes(new URL(url).protocol));
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

function UrlForm({ urls, onChange }: { urls: string; onChange: (text: string) => void }) {
  const wrong = useSignal<string | undefined>(undefined);
  const lines = linesOf(urls);
  const submit = (event: Event): void => {
    event.preventDefault();
    wrong.value = findWrongUrl(lines);
    const preset = chosenPreset();
    if (wrong.value !== undefined || preset === undefined || lines.length === 0) return;
    void start(preset);
  };
  const start = async (preset: PresetView): Promise<void> => {
    try {
      const { startUrls } = await import('../state/start-runs.ts');
      onChange('');
      await startUrls(lines, preset);
    } catch (error) {
      tell('problem', messageOf(error));
    }
  };
  return (
    <form class="urls" onSubmit={submit}>
      <label class="field">
        {texts.start.urls}
        <textarea
          rows={Math.min(6, Math.max(2, lines.length))}
          placeholder={texts.start.urlsHint}
          spellcheck={false}
          value={urls}
          aria-invalid={wrong.value !== undefined}
          aria-describedby={wrong.value === undefined ? undefined : 'wrong-url'}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      {wrong.value !== undefined && (
        <p id="wrong-url" class="bad" role="alert">
          {texts.start.wrongUrl(wrong.value)}
        </p>
      )}
      {lines.length > 0 && (
        <button type="submit" class="main">
          {texts.start.startUrls(lines.length)}
        </button>
      )}
    </form>
  );
}
