// The table as its clients see it: the names of its keys, of its indexes and of the attribute by which it deletes rows.
export const table = {
  partitionKey: "pk",
  sortKey: "sk",
  timeToLive: "expires_at",
  index: { name: "gsi1", partitionKey: "gsi1_pk", sortKey: "gsi1_sk" },
  /** Lists what is due, by whom the platform's schedules look. It holds only keys, and only of rows with its attributes. */
  activeIndex: { name: "gsi2", partitionKey: "gsi2_pk", sortKey: "gsi2_sk" },
} as const;

/** The operations on rows to which a function can have a right. */
export type RowOperation = "get" | "batchGet" | "query" | "put" | "update" | "delete" | "condition";

export type Key = { pk: string; sk: string };

/** A place in a list that is in the order of time: since when something is listed, and its id. */
export const placeOf = (since: string, id: string) => `${since}#${id}`;

/** The id in a place. */
export const idIn = (place: string) => place.slice(place.lastIndexOf("#") + 1);
