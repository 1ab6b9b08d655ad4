// Closes, after the last test file, resources that test files share in Jest's own thread (`--maxWorkers=1`). A worker's thread is
// terminated with its resources, and needs no closing.
const closing: (() => unknown)[] = [];

/** Has something closed after the last test file. */
export function atEnd(close: () => unknown): void {
  closing.push(close);
}

export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}
