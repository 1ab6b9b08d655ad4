// The console's address on this machine. A browser holds sign-in, CORS and storage to the letter of an origin, so that the address cannot be
// translated on the way as other hosts' are: what the program declares gets the local one in place of `https://console.localhost`.
import { Resources } from "../../emulators/pulumi/resources.ts";
import type { Program } from "./program.ts";

const declaredConsole = "https://console.localhost";

/** Where Chromium, Firefox and Safari find the console without any DNS: names below `localhost` are this machine (RFC 6761, 6.3). */
export function localConsole(port: number): string {
  return `http://console.localhost:${port}`;
}

/** The program with the console at its local address. Bundles stay as they are: no code holds an address. */
export function withLocalConsole(program: Program, port: number): Program {
  const local = localConsole(port);
  const moved = (value: unknown): unknown => {
    if (typeof value === "string") {
      return value.length < 100_000 && value.includes(declaredConsole)
        ? value.replaceAll(declaredConsole, local)
        : value;
    }
    if (Array.isArray(value)) return value.map(moved);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, moved(member)]));
  };
  return {
    ...program,
    resources: new Resources(Array.from(program.resources, (resource) => moved(resource) as typeof resource)),
    exports: moved(program.exports) as Program["exports"],
  };
}
