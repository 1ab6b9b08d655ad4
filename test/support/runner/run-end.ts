// What a worker's test files share is closed with the worker, and in a run without workers with the run.
const closing: (() => unknown)[] = [];

/** Has something closed after the last test file. */
export function atEnd(close: () => unknown): void {
  closing.push(close);
}

export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}
