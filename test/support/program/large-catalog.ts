// A catalog of as many models as wanted: the platform's own stand last, so that the local model host serves the last one.
import catalogData from "../../../domain/catalog/catalog-data.ts";

type CatalogModel = (typeof catalogData)["models"][number];

/** Copies with names of their own come first. Its last model is the platform's last. */
export function largeCatalog(count: number): { models: CatalogModel[] } {
  const own = catalogData.models as readonly CatalogModel[];
  const copies = Array.from({ length: count - own.length }, (_, place) => copyOf(own[place % own.length], place));
  return { models: [...copies, ...own] };
}

function copyOf(model: CatalogModel | undefined, place: number): CatalogModel {
  if (!model) throw new Error("the catalog is empty");
  const { capabilities, ...rest } = model;
  const renamed = JSON.stringify(rest)
    .replaceAll(model.base_id, `${model.base_id}-c${place}`)
    .replaceAll(`"${model.id}"`, `"${model.id}-c${place}"`);
  return { ...JSON.parse(renamed), aliases: [], capabilities };
}
