// `npm run binary`: `dist/archway-skills`, the bundle with Node in it.
import { fileURLToPath } from "node:url";
import { binary } from "../command-line/build/binary.ts";
import { bundle } from "./build.ts";

const dist = fileURLToPath(new URL("dist", import.meta.url));

await binary({ name: "archway-skills", dist, bundle }, process.argv[2]);
