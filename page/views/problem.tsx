/** A problem that screen readers read out; nothing if there is none. */
export function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="bad" role="alert">
      {text}
    </p>
  );
}
