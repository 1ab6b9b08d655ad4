// The licences of what the bundle holds of others: they ask that their text goes with every copy.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Metafile } from "esbuild";

/**
 * Makes one comment with the name, version and licence of each package.
 * @param root the folder that the names of files start from
 * @throws Error for a package without a text
 */
export function licencesOf({ inputs }: Metafile, root: string): string {
  const folders = new Set(Object.keys(inputs).flatMap((file) => folderOf(resolve(root, file)) ?? []));
  const texts = [...folders].toSorted().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((each) => /^licen[cs]e(\.\w+)?$/i.test(each));
    if (!file) throw new Error(`${name} has no licence to bundle`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
  });
  const text = ["Parts of this file are of others:", ...texts].join("\n\n").replaceAll("*/", "* /");
  return `/*\n${text}\n*/`;
}

/** The folder of the package to which a bundled file belongs. */
function folderOf(file: string): string | undefined {
  return /^(.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(file)?.[1];
}
