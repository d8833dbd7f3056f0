import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { messageOf } from '../api/holdfast.ts';
import { chooserTexts } from '../chooser-texts.ts';
import { forgetOwnSettings, keepOwnSettings } from '../state/own-settings.ts';
import { type PresetView, session } from '../state/session.ts';
import { fieldsInForm, fieldsOutsideForm, isOutput, outputOf } from '../words/own-output.ts';
import { isOwn, ownName, presetTitle } from '../words/preset-words.ts';
import { formField, type FormField, type Schema, valueAt } from '../words/schema-form.ts';
import { Problem } from './problem.tsx';
import { labelOf, SchemaField } from './schema-field.tsx';

/** Free-text fields whose suggestions come from the presets. */
const suggested = ['container', 'audio.codec', 'video.codec'];

interface Props {
  /** Preset from which the settings start. */
  from: PresetView;
  /** Called with the name of the saved settings; undefined if none were saved. */
  onClose: (saved?: string) => void;
}

/** A form for an output's fields, generated from the server's schema. Saves them under a name. */
export function OwnSettings({ from, onClose }: Props) {
  const title = useSignal(isOwn(from.name) ? presetTitle(from.name) : '');
  const fields = useSignal<readonly FormField[]>([]);
  const problem = useSignal<string | undefined>(undefined);
  const settings = useSignal<unknown>(outputOf({ ...from }));
  const nameField = useRef<HTMLInputElement>(null);
  useEffect(() => {
    nameField.current?.focus();
    loadFields(fieldsInForm({ ...from }))
      .then((loaded) => (fields.value = loaded))
      .catch((error: unknown) => (problem.value = messageOf(error)));
  }, []);
  const kept = fieldsOutsideForm({ ...from });
  const save = async (): Promise<void> => {
    const output = { ...(settings.value as Record<string, unknown> | undefined) };
    if (!isOutput(output)) {
      problem.value = chooserTexts.settings.noContainer;
      return;
    }
    const own = { ...(output as Omit<PresetView, 'name'>), name: ownName(title.value.trim()) };
    const { findProblem } = await import('../state/choice-problem.ts');
    problem.value = findProblem({ presets: [own], extras: {} });
    if (problem.value !== undefined) return;
    if (isOwn(from.name)) forgetOwnSettings(from.name);
    keepOwnSettings(own);
    onClose(own.name);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    save().catch((error: unknown) => (problem.value = messageOf(error)));
  };
  const remove = (): void => {
    forgetOwnSettings(from.name);
    onClose();
  };
  return (
    <form class="own" onSubmit={submit} aria-label={chooserTexts.settings.title}>
      <div class="body">
        <label class="field">
          {chooserTexts.settings.name}
          <input
            type="text"
            required
            maxLength={60}
            pattern=".*\S.*"
            value={title.value}
            ref={nameField}
            onInput={(event) => (title.value = event.currentTarget.value)}
          />
        </label>
        <p class="quiet small">{chooserTexts.settings.hint}</p>
        {kept.length > 0 && (
          <p class="note">{chooserTexts.settings.kept(kept.map((field) => labelOf([field]).toLowerCase()))}</p>
        )}
        {fields.value.map((field) => (
          <SchemaField
            key={field.name}
            field={field}
            path={[]}
            settings={settings.value}
            suggestions={suggestions()}
            onChange={(changed) => (settings.value = changed)}
          />
        ))}
      </div>
      <footer>
        <Problem text={problem.value} />
        <div class="actions">
          {isOwn(from.name) && (
            <button type="button" onClick={remove}>
              {chooserTexts.settings.remove}
            </button>
          )}
          <button type="button" onClick={() => onClose()}>
            {chooserTexts.settings.back}
          </button>
          <button type="submit" class="main" disabled={fields.value.length === 0}>
            {chooserTexts.settings.use}
          </button>
        </div>
      </footer>
    </form>
  );
}

async function loadFields(offered: readonly string[]): Promise<FormField[]> {
  const answer = await fetch('/api/openapi.json');
  const document = (await answer.json()) as { components: { schemas: Record<string, unknown> } };
  const place = ['PresetsBody', 'properties', 'presets', 'items', 'properties'];
  const schemas = valueAt(document.components.schemas, place) as Record<string, Schema>;
  return offered.flatMap((name) => {
    const schema = schemas[name];
    const field = schema === undefined ? undefined : formField(name, schema);
    return field === undefined ? [] : [field];
  });
}

function suggestions(): ReadonlyMap<string, readonly string[]> {
  const presets = session.value.state === 'ready' ? session.value.presets : [];
  return new Map(
    suggested.map((path) => {
      const values = presets.map((preset) => valueAt(preset, path.split('.')));
      return [path, [...new Set(values.filter((value) => typeof value === 'string'))].toSorted()];
    }),
  );
}
