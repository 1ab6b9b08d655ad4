// The header that tells a caller what was left out of what the model host got.

/** Clients and what stands between take headers of a few kilobytes. */
const maxLength = 2_000;
/** Of one name; every flag so far is shorter. */
const maxNameLength = 100;

/** None where nothing was left out. A flag in the body can hold what no header can. */
export function droppedHeader(dropped: readonly string[]): Record<string, string> {
  if (dropped.length === 0) return {};
  const names = dropped
    .map((name) => name.slice(0, maxNameLength).replaceAll(/[^\x21-\x2b\x2d-\x7e]/g, "?"))
    .join(", ");
  return { "x-archway-dropped": names.length <= maxLength ? names : `${names.slice(0, maxLength)}...` };
}
