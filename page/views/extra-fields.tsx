interface FieldOf<Value> {
  label: string;
  onChange: (value: Value) => void;
}

export function TextField({
  label,
  value,
  placeholder,
  onInput,
}: {
  label: string;
  value: string;
  placeholder?: string | undefined;
  onInput: (text: string) => void;
}) {
  return (
    <label class="field">
      {label}
      <input
        type="text"
        value={value}
        placeholder={placeholder}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}

/** A menu of the keys of `choices`. */
export function Choice<Key extends string>({
  label,
  choices,
  value,
  onChange,
}: FieldOf<Key> & { choices: Readonly<Record<Key, string>>; value: Key }) {
  return (
    <label class="field">
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as Key)}>
        {Object.entries<string>(choices).map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A chosen file stays when the form is shown again, which empties the browser's own field. */
export function FileField({
  label,
  accept,
  file,
  isRequired = false,
  onChange,
}: FieldOf<File | undefined> & { accept: string; file: File | undefined; isRequired?: boolean }) {
  return (
    <label class="field">
      {label}
      <input
        type="file"
        accept={accept}
        required={isRequired && file === undefined}
        onChange={(event) => onChange(event.currentTarget.files?.[0])}
      />
      {file !== undefined && <span class="quiet small">{file.name}</span>}
    </label>
  );
}
