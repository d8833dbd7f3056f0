import { laterTexts } from '../../later-texts.ts';

export function PlayButton({ isPlaying, onClick }: { isPlaying: boolean; onClick: () => void }) {
  return (
    <button
      type="button"
      class="play main"
      onClick={onClick}
      aria-label={isPlaying ? laterTexts.player.pause : laterTexts.player.play}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={isPlaying ? 'M7 5h4v14H7zm6 0h4v14h-4z' : 'M8 5v14l11-7z'} />
      </svg>
    </button>
  );
}
