import { chooserTexts } from '../chooser-texts.ts';
import { type FormField, valueAt, withValue } from '../words/schema-form.ts';

interface Props {
  field: FormField;
  /** Path of the group that contains the field. */
  path: readonly string[];
  settings: unknown;
  /** Suggested values by path. */
  suggestions: ReadonlyMap<string, readonly string[]>;
  onChange: (settings: unknown) => void;
}

/** One form field, with its inner fields. */
export function SchemaField({ field, path, settings, suggestions, onChange }: Props) {
  const own = [...path, field.name];
  const value = valueAt(settings, own);
  const set = (to: unknown): void => onChange(withValue(settings, own, to));
  const label = labelOf(own);
  if (field.kind === 'group') {
    return (
      // A browser focuses a wrong field only if it is visible.
      <details
        class="group"
        open={value !== undefined}
        onInvalidCapture={({ currentTarget }) => (currentTarget.open = true)}
      >
        <summary>{label}</summary>
        {field.canBeLeftOut && (
          <label class="left-out">
            <input
              type="checkbox"
              checked={value === false}
              onChange={(event) => set(event.currentTarget.checked ? false : undefined)}
            />
            {chooserTexts.settings.none}
          </label>
        )}
        {value !== false &&
          field.fields.map((inner) => (
            <SchemaField
              key={inner.name}
              field={inner}
              path={own}
              settings={settings}
              suggestions={suggestions}
              onChange={onChange}
            />
          ))}
      </details>
    );
  }
  if (field.kind === 'choice') {
    return (
      <label class="field">
        {label}
        <select
          value={value === undefined ? '' : JSON.stringify(value)}
          onChange={({ currentTarget: { value: chosen } }) => set(chosen === '' ? undefined : JSON.parse(chosen))}
        >
          <option value="">{chooserTexts.settings.unset}</option>
          {field.values.map((choice) => (
            <option key={String(choice)} value={JSON.stringify(choice)}>
              {typeof choice === 'boolean' ? chooserTexts.settings[choice ? 'yes' : 'no'] : String(choice)}
            </option>
          ))}
        </select>
      </label>
    );
  }
  const shown = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (field.kind === 'number') {
    return (
      <label class="field">
        {label}
        <input
          type="number"
          min={field.least}
          max={field.most}
          step={field.isWhole ? 1 : 'any'}
          value={shown}
          onInput={({ currentTarget: { value: typed } }) => set(typed === '' ? undefined : Number(typed))}
        />
      </label>
    );
  }
  const known = suggestions.get(own.join('.')) ?? [];
  const list = `known-${own.join('-')}`;
  return (
    <label class="field">
      {label}
      <input
        type="text"
        spellcheck={false}
        value={shown}
        list={list}
        onInput={({ currentTarget: { value: typed } }) => set(typed === '' ? undefined : typed)}
      />
      <datalist id={list}>
        {known.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </label>
  );
}

/** `sampleRate` becomes "Sample rate". */
export function labelOf(path: readonly string[]): string {
  const name = path.at(-1) ?? '';
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return chooserTexts.settings.labels[path.join('.')] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
