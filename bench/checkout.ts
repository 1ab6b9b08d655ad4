// Another checkout of the project, e.g. of the state before a change: its own benchmark starts its proxy, this one measures both
// in turns. `npm ci && npm ci --prefix bench` there first.
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Builds } from "./build.ts";
import type { Contestant } from "./cold.ts";
import type { Variant } from "./variants.ts";

export type Checkout = {
  /** Its `archway`, under the name `before`. */
  start: () => Promise<Variant>;
  coldStart: () => Promise<Contestant>;
  close: () => Promise<void>;
};

const root = fileURLToPath(new URL("..", import.meta.url));

/** @param folder its root, as seen from this checkout's */
export async function openCheckout(folder: string, promptBytes: number): Promise<Checkout> {
  const load = (name: string) => import(pathToFileURL(join(resolve(root, folder), "bench", `${name}.ts`)).href);
  const other = (await load("build")) as typeof import("./build.ts");
  const { stopAll } = (await load("child-process")) as typeof import("./child-process.ts");
  const variants = (await load("variants")) as typeof import("./variants.ts");
  const builds = new other.Builds();
  const own = new Builds();
  // Both checkouts are measured by this one's probe.
  const setting = { ...(await variants.prepare(builds, promptBytes)), usage: own.program("usage") };
  return {
    start: async () => ({ ...(await variants.startVariant("archway", setting)), name: "before" }),
    coldStart: async () => {
      const store = await variants.start(setting, "store", { WORKSPACE: JSON.stringify(setting.workspace) });
      return {
        name: "before",
        runner: builds.program("function-url"),
        env: variants.functionEnvironment(setting, store.url, variants.deployedBundle(setting)),
        headers: variants.edgeHeaders(setting),
        apiKey: setting.workspace.apiKeys[0] ?? "",
      };
    },
    close: async () => {
      await stopAll();
      builds.remove();
      own.remove();
    },
  };
}
