/** Costs of a break after a word: the end of a sentence, a clause, a phrase, anywhere, and within a phrase. */
const costs = { sentence: 0, clause: 1, phrase: 3, word: 6, bound: 10 };

const quotes = `["'”’»)\\]]*`;
const sentenceEnd = new RegExp(`[.!?…。！？]${quotes}$`, 'u');
const clauseEnd = new RegExp(`[,;:–—、，；：]${quotes}$`, 'u');

/** Conjunctions and prepositions, which begin a phrase. English only: in other languages punctuation and pauses decide. */
const openers = new Set(
  `and or but nor so yet because although though while when where which who whose that than if unless until before after since
  as for from with without within into onto over under between through during against about at by in of on to`.split(
    /\s+/,
  ),
);

/** Words that belong to the next one: articles, possessives, auxiliaries, pronouns and titles. */
const bound = new Set(
  `a an the my your his her its our their this these those no not every each some any is are was were be been am will would shall
  should can could may might must have has had do does did i you he she it we they very mr mrs ms dr`.split(/\s+/),
);

/** Cost of a break between two words (pure), by the style guides' rules: after punctuation, before conjunctions and prepositions. */
export function breakCost(word: string, next: string | undefined): number {
  if (next === undefined || sentenceEnd.test(word)) return costs.sentence;
  if (clauseEnd.test(word)) return costs.clause;
  const plain = word.toLowerCase();
  if (bound.has(plain) || openers.has(plain)) return costs.bound;
  return openers.has(next.toLowerCase()) ? costs.phrase : costs.word;
}

export function endsSentence(word: string): boolean {
  return sentenceEnd.test(word);
}
