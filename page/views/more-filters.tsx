import { laterTexts } from '../later-texts.ts';
import { type FilterName, filters, setFilter } from '../state/list-filters.ts';
import { listQuery, replaceQuery } from '../state/route.ts';
import { session } from '../state/session.ts';
import { presetTitle } from '../words/preset-words.ts';

export function MoreFilters() {
  const texts = laterTexts.list;
  const { server, presets } = session.value.state === 'ready' ? session.value : {};
  const field = (name: FilterName, label: string, more: object) => (
    <label class="field">
      <span>{label}</span>
      <input
        {...more}
        value={filters.value[name] ?? ''}
        onInput={(event) => setFilter(name, event.currentTarget.value)}
      />
    </label>
  );
  return (
    <div class="more-filters">
      {server?.owner === undefined && field('owner', texts.owner, { autoComplete: 'off' })}
      {field('format', texts.format, { list: 'formats', placeholder: 'mp3_128' })}
      <datalist id="formats">
        {presets?.map(({ name }) => (
          <option key={name} value={name}>
            {presetTitle(name)}
          </option>
        ))}
      </datalist>
      {field('from', texts.from, { type: 'date', max: filters.value.to })}
      {field('to', texts.to, { type: 'date', min: filters.value.from })}
      <button type="button" class="plain" disabled={listQuery.value === ''} onClick={() => replaceQuery('')}>
        {texts.clear}
      </button>
    </div>
  );
}
