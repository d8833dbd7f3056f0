import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf } from '../api/holdfast.ts';
import { laterTexts } from '../later-texts.ts';
import { keepOwnSettings } from '../state/own-settings.ts';
import { type PresetView, session } from '../state/session.ts';
import { choosePreset } from '../state/chosen-preset.ts';
import { texts } from '../texts.ts';
import { fieldsInForm, isOutput, outputOf } from '../words/own-output.ts';
import { ownName } from '../words/preset-words.ts';
import { formField, type FormField, type Schema, valueAt } from '../words/schema-form.ts';
import { SchemaField } from './schema-field.tsx';

/** Free-text fields whose suggestions come from the presets. */
const suggested = ['container', 'audio.codec', 'video.codec'];

/** A form for an output's fields, generated from the server's schema. */
export function OwnSettings({ chosen, onClose }: { chosen: PresetView; onClose: () => void }) {
  const fields = useSignal<readonly FormField[]>([]);
  const problem = useSignal<string | undefined>(undefined);
  const settings = useSignal<unknown>(outputOf({ ...chosen }));
  useEffect(() => {
    loadFields(fieldsInForm({ ...chosen }))
      .then((loaded) => (fields.value = loaded))
      .catch((error: unknown) => (problem.value = messageOf(error)));
  }, []);
  const submit = (event: Event): void => {
    event.preventDefault();
    const output = { ...(settings.value as Record<string, unknown> | undefined) };
    if (!isOutput(output)) {
      problem.value = laterTexts.settings.noContainer;
      return;
    }
    keepOwnSettings(output);
    choosePreset(ownName);
    onClose();
  };
  return (
    <form class="own" onSubmit={submit} aria-label={texts.start.own}>
      <h3>{texts.start.own}</h3>
      <p class="quiet small">{laterTexts.settings.hint}</p>
      {problem.value !== undefined && (
        <p class="bad" role="alert">
          {problem.value}
        </p>
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
      <div class="actions">
        <button type="submit" class="main" disabled={fields.value.length === 0}>
          {laterTexts.settings.use}
        </button>
        <button type="button" onClick={onClose}>
          {texts.close}
        </button>
      </div>
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
