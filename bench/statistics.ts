export const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
  return sorted[at] ?? NaN;
};
harden(quantile);

export const median = (values: readonly number[]): number =>
  quantile(values, 0.5);
harden(median);

export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
harden(sum);
