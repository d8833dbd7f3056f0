import type { PresetView } from '../state/session.ts';
import { chooserTexts } from '../chooser-texts.ts';
import { canHold, type ExtraField } from '../words/extras.ts';
import type { ExtrasDraft } from '../words/extras-draft.ts';
import { presetTitle } from '../words/preset-words.ts';
import { Choice, FileField, TextField } from './extra-fields.tsx';

const { extras: words } = chooserTexts;
const pictures = 'image/jpeg,image/png,image/webp';
const subtitleFiles = '.srt,.vtt,.ass,.ssa';

interface Props {
  draft: ExtrasDraft;
  presets: readonly PresetView[];
  /** Whether the choice is for one source. */
  isOne: boolean;
  isFilm: boolean;
  /** Title in the tags of the source. */
  knownTitle: string | undefined;
  onChange: (change: Partial<ExtrasDraft>) => void;
}

/** Fields for settings of these sources alone. */
export function ExtrasForm({ draft, presets, isOne, isFilm, knownTitle, onChange }: Props) {
  const group = { presets };
  const tag = (name: keyof typeof words.tags, placeholder?: string) => (
    <TextField
      label={words.tags[name]}
      value={draft.metadata[name] ?? ''}
      placeholder={placeholder}
      onInput={(text) => onChange({ metadata: { ...draft.metadata, [name]: text } })}
    />
  );
  return (
    // A browser focuses a wrong field only if it is visible.
    <details class="extras" onInvalidCapture={({ currentTarget }) => (currentTarget.open = true)}>
      <summary>
        <h3>{isFilm ? words.titleOfFilm : words.title}</h3>
      </summary>
      {!isOne && <p class="note">{words.ofOne}</p>}
      {Object.keys(draft.kept).length > 0 && (
        <p class="note">{words.kept((Object.keys(draft.kept) as ExtraField[]).map((field) => words.fields[field]))}</p>
      )}
      <Group field="metadata" {...group}>
        {isOne && tag('title', knownTitle)}
        {tag('artist')}
        {tag('album')}
        {tag('date')}
        {isOne && tag('description')}
      </Group>
      <Group field="cover" {...group}>
        <Choice
          label={words.fields.cover}
          choices={words.cover}
          value={draft.cover}
          onChange={(cover) => onChange({ cover })}
        />
        {draft.cover === 'file' && (
          <FileField
            label={words.coverFile}
            accept={pictures}
            file={draft.coverFile}
            isRequired
            onChange={(coverFile) => onChange({ coverFile })}
          />
        )}
      </Group>
      {isOne && (
        <>
          <Group field="chapters" {...group}>
            <Choice
              label={words.fields.chapters}
              choices={words.chapters}
              value={draft.chapters}
              onChange={(chapters) => onChange({ chapters })}
            />
            {draft.chapters === 'list' && (
              <label class="field wide">
                {words.lines}
                <textarea
                  rows={5}
                  placeholder={words.linesHint}
                  value={draft.chapterLines}
                  onInput={(event) => onChange({ chapterLines: event.currentTarget.value })}
                />
              </label>
            )}
          </Group>
          <Group field="trim" {...group}>
            <TextField label={words.start} value={draft.start} onInput={(start) => onChange({ start })} />
            <TextField label={words.end} value={draft.end} onInput={(end) => onChange({ end })} />
          </Group>
        </>
      )}
      {isFilm && (
        <>
          <Group field="subtitles" {...group}>
            <Choice
              label={words.ofFile}
              choices={words.subtitles}
              value={draft.subtitles}
              onChange={(subtitles) => onChange({ subtitles })}
            />
            {isOne && (
              <FileField
                label={words.captions}
                accept={subtitleFiles}
                file={draft.captionsFile}
                onChange={(captionsFile) => onChange({ captionsFile })}
              />
            )}
            {draft.captionsFile !== undefined && (
              <>
                <Choice
                  label={words.captionsUse}
                  choices={words.captionsUses}
                  value={draft.captionsUse}
                  onChange={(captionsUse) => onChange({ captionsUse })}
                />
                {draft.captionsUse === 'add' && (
                  <TextField
                    label={words.language}
                    value={draft.language}
                    onInput={(language) => onChange({ language })}
                  />
                )}
              </>
            )}
          </Group>
          <Group field="captions" {...group}>
            <Choice
              label={words.speech}
              choices={words.speechUses}
              value={draft.speech}
              onChange={(speech) => onChange({ speech })}
            />
            {draft.speech === 'add' && (
              <TextField
                label={words.spokenLanguage}
                value={draft.spokenLanguage}
                onInput={(spokenLanguage) => onChange({ spokenLanguage })}
              />
            )}
          </Group>
          <Group field="watermark" {...group}>
            <FileField
              label={words.watermark}
              accept={pictures}
              file={draft.watermarkFile}
              onChange={(watermarkFile) => onChange({ watermarkFile })}
            />
            {draft.watermarkFile !== undefined && (
              <>
                <Choice
                  label={words.place}
                  choices={words.places}
                  value={draft.place}
                  onChange={(place) => onChange({ place })}
                />
                <Percent label={words.size} value={draft.size} onChange={(size) => onChange({ size })} />
                <Percent label={words.opacity} value={draft.opacity} onChange={(opacity) => onChange({ opacity })} />
              </>
            )}
          </Group>
        </>
      )}
    </details>
  );
}

/** Names the results that cannot have what the fields set. */
function Group({
  field,
  presets,
  children,
}: {
  field: ExtraField;
  presets: readonly PresetView[];
  children: preact.ComponentChildren;
}) {
  const without = presets.filter((preset) => !canHold(preset, field)).map(({ name }) => presetTitle(name));
  return (
    <fieldset class="extra" disabled={without.length > 0 && without.length === presets.length}>
      <legend>{words.fields[field]}</legend>
      <div class="fields">{children}</div>
      {without.length > 0 && <p class="note">{words.notIn(field, without)}</p>}
    </fieldset>
  );
}

function Percent({ label, value, onChange }: { label: string; value: number; onChange: (value: number) => void }) {
  return (
    <label class="field">
      {label}
      <input
        type="number"
        required
        min={1}
        max={100}
        value={value}
        onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}
