import { useSignal } from '@preact/signals';
import type { RunDetails } from '../../contract/server/run.ts';
import { session } from '../state/session.ts';
import { type CommandKind, commandOf } from '../words/commands.ts';
import { copyText } from './copy-field.tsx';
import { laterTexts } from '../later-texts.ts';

const kinds: readonly CommandKind[] = ['curl', 'cli', 'typescript'];

export function CopyPanel({ run }: { run: RunDetails }) {
  const kind = useSignal<CommandKind>('curl');
  const hasTokens = session.value.state === 'ready' && session.value.server.hasTokens;
  const commands = kinds.flatMap((name) => {
    const command = commandOf(name, run, { origin: location.origin, hasTokens });
    return command === undefined ? [] : [{ name, command }];
  });
  const shown = commands.find(({ name }) => name === kind.value)?.command ?? '';
  return (
    <details class="card copy">
      <summary>
        <h2>{laterTexts.copy.title}</h2>
      </summary>
      <fieldset class="filters">
        <legend class="hidden">{laterTexts.copy.as}</legend>
        {commands.map(({ name }) => (
          <label key={name}>
            <input type="radio" name="copy" checked={kind.value === name} onChange={() => (kind.value = name)} />
            <span>{laterTexts.copy[name]}</span>
          </label>
        ))}
      </fieldset>
      <pre tabIndex={0}>{shown}</pre>
      <button type="button" onClick={() => void copyText(shown).catch(() => undefined)}>
        {laterTexts.copy.button}
      </button>
    </details>
  );
}
