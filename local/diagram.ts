// `npm run diagram`: draws what the program deploys, from the program itself, as docs/deployment.svg.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { draw } from "./program/drawing.ts";
import { evaluateProgram, localStackFile, readStackConfig } from "./program/program.ts";

const root = new URL("..", import.meta.url);
const config = await readStackConfig(fileURLToPath(new URL(localStackFile, root)));
const { resources } = await evaluateProgram(config);
writeFileSync(new URL("docs/deployment.svg", root), draw(resources));
