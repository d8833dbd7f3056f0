import { pauseUpload, removeUpload, resumeUpload, uploads, type UploadView } from '../state/uploads.ts';
import { formatBytes, formatSpan } from '../words/format.ts';
import { laterTexts } from '../later-texts.ts';

export function UploadList() {
  if (uploads.value.length === 0) return null;
  return (
    <section class="card uploads" aria-labelledby="uploads">
      <h2 id="uploads">{laterTexts.upload.title}</h2>
      <ul>
        {uploads.value.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
      </ul>
    </section>
  );
}

function UploadRow({ upload }: { upload: UploadView }) {
  const { id, name, bytes, sent, state, message } = upload;
  const percent = bytes === 0 ? 100 : Math.floor((100 * sent) / bytes);
  const isStopped = state === 'paused' || state === 'failed';
  return (
    <li class={`upload ${state}`}>
      <span class="name">{name}</span>
      <span class="actions">
        {/* One button for both actions, so that it keeps the focus. */}
        {(state === 'sending' || isStopped) && (
          <Action
            words={isStopped ? laterTexts.upload.resume : laterTexts.upload.pause}
            name={name}
            act={() => (isStopped ? resumeUpload(id) : pauseUpload(id))}
          />
        )}
        {state !== 'starting' && <Action words={laterTexts.upload.remove} name={name} act={() => removeUpload(id)} />}
      </span>
      <progress max="100" value={percent} aria-label={name} />
      <span class={`small ${state === 'failed' ? 'bad' : 'quiet'}`} role={state === 'failed' ? 'alert' : undefined}>
        {message !== undefined && state === 'failed' ? message : wordsOf(upload, percent)}
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

function wordsOf({ state, bytes, sent, bytesPerSecond }: UploadView, percent: number): string {
  if (state !== 'sending') return state === 'failed' ? '' : laterTexts.upload[state];
  const facts = [laterTexts.upload.sending(percent), formatBytes(bytes)];
  if (bytesPerSecond > 0) {
    facts.push(laterTexts.upload.speed(formatBytes(bytesPerSecond)));
    facts.push(laterTexts.upload.left(formatSpan(Math.ceil((bytes - sent) / bytesPerSecond))));
  }
  return facts.join(' · ');
}
