/** Smaller costs are shown with one digit. */
const leastCost = 0.01;

export function costWords(cost: number, currency: string): string {
  const amount =
    cost < leastCost
      ? Number(cost.toPrecision(1))
          .toFixed(6)
          .replace(/\.?0+$/, '')
      : cost.toFixed(2);
  return `${amount} ${currency}`;
}
