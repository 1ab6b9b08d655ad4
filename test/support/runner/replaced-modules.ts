// The replacements of some packages in tests. Each test thread loads this file before all others (`setupFiles` in jest.config.ts).
import { registerHooks } from "node:module";

const at = (path: string) => new URL(path, import.meta.url).href;

const replacements: [specifier: RegExp, replacement: string][] = [
  // The package works under Jest's own runner alone; it gives the types.
  [/^@jest\/globals$/, at("globals.ts")],
  [/^esbuild$/, at("../../../local/program/remembered-esbuild.ts")],
  // Pulumi loads them at once, and uses them for functions that are written into the program alone.
  [/^@npmcli\/arborist$|\/typescript-shim$/, at("nothing.json")],
];

registerHooks({
  resolve: (specifier, context, nextResolve) => {
    const url = replacements.find(([replaced]) => replaced.test(specifier))?.[1];
    return url ? { url, shortCircuit: true } : nextResolve(specifier, context);
  },
});
