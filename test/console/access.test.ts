// What the console offers is what the API allows: each call that a page may make is allowed to whom the page is shown, or the file asks
// for the role before it offers the call. What depends on whose a thing is: app/rights.test.ts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { routes } from "../../handlers/control/nouns.ts";
import type { Route } from "../../handlers/control/routing/route.ts";

type Who = "anyone" | "member" | "owner" | "admin";

const everyRoute = Object.values(routes).flatMap((noun) => Object.values<Route>(noun));
const accessOf = new Map(everyRoute.map(({ method, path, access }) => [`${method} ${path}`, access]));

/** Who sees a page: the word in its row of the table of pages. */
function audiences(): Map<string, Who> {
  const text = readFileSync("console/app/routes.tsx", "utf8");
  const rows = [...text.matchAll(/who: "(\w+)"[^{}]*?import\("\.\.\/pages\/([\w/.-]+)"\)/gs)];
  return new Map(rows.map(([, who, file]) => [file as string, who as Who]));
}

/** The page's file, and those of its folder and of the parts that it is made of. */
function filesOf(page: string): string[] {
  const files = new Set([join("console/pages", page)]);
  for (const file of files) {
    for (const [, other = ""] of readFileSync(file, "utf8").matchAll(
      /from "(\.\/[\w-]+\.tsx?|.*\/parts\/[\w-]+\.tsx?)"/g,
    ))
      files.add(join(file, "..", other));
  }
  return [...files];
}

/** Names of routes, but for those of which a file takes the type alone. */
const callsIn = (text: string) =>
  [...text.replace(/<"[^"]*">/g, "").matchAll(/"((?:GET|POST|PUT|PATCH|DELETE) \/v1\/[^"]*)"/g)].map(
    ([, name]) => name ?? "",
  );

/** Whom a route's rule lets in, of those who see pages. */
const allowed: Record<Route["access"], readonly Who[]> = {
  signed_in: ["anyone", "member", "owner", "admin"],
  member: ["member", "owner"],
  owner: ["owner"],
  tenant_owner: ["owner"],
  tenant_manager: ["owner", "admin"],
  tenant_reader: ["owner", "admin"],
  platform_admin: ["admin"],
  platform_reader: ["admin"],
};

const pages = [...audiences()];

test("every page of the console is in the table of pages", () => {
  const files = readdirSync("console/pages", { recursive: true }).map(String);
  const shown = files.filter((file) => /(^|\/)page\.tsx$/.test(file) && !file.startsWith("onboarding"));
  expect(shown.filter((file) => !pages.some(([page]) => page === file))).toEqual([]);
});

describe.each(pages)("%s, for %s", (page, who) => {
  test("each page of the console calls only routes that the reader's role may call, or checks the role first", () => {
    const wrong = filesOf(page).flatMap((file) => {
      const text = readFileSync(file, "utf8");
      const asksFor = /\buseIsOwner\(/.test(text);
      return callsIn(text).filter((name) => {
        const access = accessOf.get(name);
        if (!access) return true;
        return !allowed[access].includes(who) && !(asksFor && allowed[access].includes("owner"));
      });
    });
    expect(wrong).toEqual([]);
  });
});
