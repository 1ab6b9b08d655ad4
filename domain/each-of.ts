// Work on many items at once, a few at a time.

/** Acts on every item, on at most `width` of them at once. Rejects as soon as one does. */
export async function eachOf<T>(
  items: AsyncIterable<T>,
  width: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  const work = async () => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: width }, work));
}
