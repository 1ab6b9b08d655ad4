// `npm ci` fails on a lock file that lacks a platform's package, and npm drops those that a registry does not hold.
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";

type Locked = {
  optionalDependencies?: Record<string, string>;
  hasInstallScript?: boolean;
  resolved?: string;
  link?: boolean;
};

const packages: Record<string, Locked> = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;
const names = new Set(Object.keys(packages).map((path) => path.slice(path.lastIndexOf("node_modules/") + 13)));

test("the lock file contains the packages of every platform", () => {
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});

test("the lock file contains no download addresses, and links only the folders of the workspaces", () => {
  const named = Object.values(packages).filter(({ resolved }) => resolved !== undefined);
  expect(named).toEqual(["console", "emulators"].map((resolved) => ({ resolved, link: true })));
});
