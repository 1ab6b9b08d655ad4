// A page of a list, as stores give it. How a caller asks for one over HTTP stands in handlers/control/routing/list-query.ts.

/** `after` is the `next` of the previous page; undefined asks for the first page. */
export type PageRequest = { limit: number; after: string | undefined };

/** `next` is undefined on the last page. */
export type Page<T> = { items: T[]; next: string | undefined };
