import { useEffect } from 'preact/hooks';
import { askForUploads } from '../state/asked-sources.ts';
import { nowMs } from '../state/now.ts';
import { discardUnfinished, type UnfinishedUpload, unfinishedUploads } from '../state/kept-uploads.ts';
import { listKept, pauseUpload, removeUpload, resumeUpload, uploads, type UploadView } from '../state/uploads.ts';
import { formatBytes } from '../words/format.ts';
import { isStalled, percentOf, sendingWords } from '../words/upload-words.ts';
import { laterTexts } from '../later-texts.ts';

export function UploadList() {
  useEffect(() => void listKept(), []);
  const isListed = ({ name, bytes }: UnfinishedUpload): boolean =>
    uploads.value.some((upload) => upload.name === name && upload.bytes === bytes);
  const unfinished = unfinishedUploads.value.filter((upload) => !isListed(upload));
  if (uploads.value.length + unfinished.length === 0) return null;
  return (
    <section class="card uploads" aria-labelledby="uploads">
      <h2 id="uploads">{laterTexts.upload.title}</h2>
      <ul>
        {uploads.value.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
        {unfinished.map((upload) => (
          <UnfinishedRow key={upload.key} upload={upload} />
        ))}
      </ul>
    </section>
  );
}

function UploadRow({ upload }: { upload: UploadView }) {
  const { id, name, state, message, isCut = false } = upload;
  const hasStalled = isCut || (state === 'sending' && isStalled(upload, nowMs.value));
  const isStopped = state === 'paused' || state === 'failed';
  return (
    <li class={`upload ${hasStalled ? 'stalled' : state}`}>
      <span class="name">{name}</span>
      <span class="actions">
        {!upload.isChosen && <Action words={laterTexts.upload.choose} name={name} act={() => void askForUploads(id)} />}
        {/* One button for both actions, so that it keeps the focus. */}
        {(state === 'sending' || isStopped) && (
          <Action
            words={isStopped ? laterTexts.upload.resume : laterTexts.upload.pause}
            name={name}
            act={() => (isStopped ? resumeUpload(id) : pauseUpload(id))}
          />
        )}
        {state !== 'starting' && (
          <Action
            words={state === 'uploaded' ? laterTexts.upload.discard : laterTexts.upload.remove}
            name={name}
            act={() => removeUpload(id)}
          />
        )}
      </span>
      <progress max="100" value={percentOf(upload)} aria-label={name} />
      <span
        class={`small ${state === 'failed' && !isCut ? 'bad' : 'quiet'}`}
        role={state === 'failed' ? 'alert' : undefined}
      >
        {message !== undefined && state === 'failed' ? message : wordsOf(upload)}
      </span>
    </li>
  );
}

function Action({ words, name, act }: { words: string; name: string; act: () => void }) {
  return (
    <button type="button" class="small" aria-label={laterTexts.upload.of(words, name)} onClick={act}>
      {words}
    </button>
  );
}

function wordsOf(upload: UploadView): string {
  const { state } = upload;
  if (state === 'sending') return sendingWords(upload, nowMs.value);
  return state === 'failed' ? '' : laterTexts.upload[state];
}

/** An upload of an earlier visit. */
function UnfinishedRow({ upload }: { upload: UnfinishedUpload }) {
  const { name, bytes } = upload;
  return (
    <li class="upload paused">
      <span class="name">{name}</span>
      <span class="actions">
        <Action words={laterTexts.upload.discard} name={name} act={() => void discardUnfinished(upload)} />
      </span>
      <progress max="100" value={percentOf(upload)} aria-label={name} />
      <span class="small quiet">{laterTexts.upload.unfinished(percentOf(upload), formatBytes(bytes))}</span>
    </li>
  );
}
