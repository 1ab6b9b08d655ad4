// The pictures of providers: their first letters on a ground of a colour. Logos are their owners', and an address elsewhere would tell
// somebody who looks at the list.

/** @param ground a colour as `#1a2b3c`, dark enough for white letters */
export function monogram(letters: string, ground: string): string {
  const square = `<rect width="48" height="48" rx="10" fill="${ground}"/>`;
  const words = `<text x="24" y="31" font-family="sans-serif" font-size="20" fill="#fff" text-anchor="middle">${letters}</text>`;
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48">${square}${words}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(picture)}`;
}
