// Imported before the program, it lets the program meet the esbuild that remembers what it has built.
import { registerHooks } from "node:module";

const rememberedEsbuild = new URL("./remembered-esbuild.ts", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === "esbuild" ? { url: rememberedEsbuild, shortCircuit: true } : nextResolve(specifier, context),
});
