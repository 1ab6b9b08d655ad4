// What test files share is closed after the last of them where they run in Jest's own thread. A worker ends with all that it holds.
const closing: (() => unknown)[] = [];

/** Has something closed after the last test file. */
export function atEnd(close: () => unknown): void {
  closing.push(close);
}

export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}
