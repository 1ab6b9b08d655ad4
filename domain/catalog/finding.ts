// A finding of the comparison of the catalog with the model host's lists.

export type Finding = {
  /** Names the finding. The same finding of another day or another region has the same key. */
  key: string;
  /** An alarm rings on each day that the finding is there. What is no alarm is told once. */
  isAlarm: boolean;
  says: string;
  /** Lines to add to the catalog. */
  lines?: string;
};

/** Each finding once, in the order in which they came. */
export function distinct(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ key }, place) => findings.findIndex((other) => other.key === key) === place);
}
