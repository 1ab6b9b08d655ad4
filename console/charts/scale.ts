// The value axis of a chart: from zero, to a round number, with at most four steps.

/** The smallest round step of which at most four reach the largest value. */
export function steps(largest: number): number[] {
  if (!(largest > 0)) return [0, 1];
  const rough = largest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10) * power;
  const count = Math.ceil(largest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}
