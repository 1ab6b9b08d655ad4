// The newest model of each family, by the catalog.
import { parseCatalog } from "../../../domain/catalog/catalog.ts";

/** Their ids, in the catalog's order of families. */
export function newestModels(catalog: unknown): string[] {
  const ids = parseCatalog(catalog as Parameters<typeof parseCatalog>[0]).models.map(({ id }) => id);
  const families = Map.groupBy(ids, (id) => id.replace(/(-\d+)+$/, ""));
  const newer = new Intl.Collator("en", { numeric: true });
  return [...families.values()].map((family) => family.toSorted(newer.compare).at(-1) ?? "");
}
