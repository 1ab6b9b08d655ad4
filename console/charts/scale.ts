// The axes of a chart: values from zero to a round number, with at most four steps, and as many columns named as fit.

/** The smallest round step of which at most four reach the largest value. */
export function steps(largest: number): number[] {
  if (!(largest > 0)) return [0, 1];
  const rough = largest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10) * power;
  const count = Math.ceil(largest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}

/** The places of the columns that have a label: as many as fit, from the first on, each as far from the next. */
export function labelled(columns: number, width: number, labelWidth: number): (place: number) => boolean {
  const every = Math.max(1, Math.ceil((columns * labelWidth) / Math.max(width, 1)));
  return (place) => place % every === 0;
}
