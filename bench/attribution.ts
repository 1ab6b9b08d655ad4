// Where a CPU profile's time went: to which package or file, and on whose behalf Node's own code ran.
import type { Profiler } from "node:inspector/promises";

export type Share = { name: string; milliseconds: number };
export type Attribution = {
  /** All but idle time. */
  busy: number;
  /** Node's and the engine's time counts to the nearest package that called it. */
  onBehalf: Share[];
  /** The same, by files. */
  files: Share[];
  /** Each function's own time. */
  functions: Share[];
};

type Node = Profiler.ProfileNode;

/** The readable bundle's file, as frames name it. */
const bundleFile = "readable.mjs";

/** @param bundle the text of the readable bundle that ran */
export function attribute({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile, bundle: string): Attribution {
  const fileAt = fileOfLines(bundle);
  const files = new Map(nodes.map((node) => [node.id, fileOf(node, fileAt)]));
  const callers = callersOf(nodes, files);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const sums = { onBehalf: new Sums(), files: new Sums(), functions: new Sums() };
  let busy = 0;
  for (const [index, id] of samples.entries()) {
    const node = byId.get(id);
    const milliseconds = (timeDeltas[index] ?? 0) / 1000;
    if (!node || isIdle(node)) continue;
    busy += milliseconds;
    const caller = callers.get(id) ?? nameOf(node);
    sums.onBehalf.add(packageOf(caller), milliseconds);
    sums.files.add(caller, milliseconds);
    sums.functions.add(`${nameOf(node)}  ${files.get(id) ?? ""}`, milliseconds);
  }
  return {
    busy,
    onBehalf: sums.onBehalf.sorted(),
    files: sums.files.sorted(),
    functions: sums.functions.sorted(),
  };
}

class Sums {
  readonly #sums = new Map<string, number>();

  add(name: string, milliseconds: number): void {
    this.#sums.set(name, (this.#sums.get(name) ?? 0) + milliseconds);
  }

  sorted(): Share[] {
    const shares = [...this.#sums].map(([name, milliseconds]) => ({ name, milliseconds }));
    return shares.sort((one, other) => other.milliseconds - one.milliseconds);
  }
}

/** Names the file of each line of a readable bundle, in which a comment before each module says it. */
function fileOfLines(bundle: string): (line: number) => string | undefined {
  let file: string | undefined;
  const files = bundle.split("\n").map((text) => {
    const [, begun] = /^ *\/\/ ((?:\S*node_modules|\w+)\/\S+\.\w+)$/.exec(text) ?? [];
    file = begun?.replace(/^.*node_modules\//, "") ?? file;
    return file;
  });
  return (line) => files[line];
}

/** Undefined for what is neither in the bundle nor in Node's library. */
function fileOf({ callFrame: { url, lineNumber } }: Node, fileAt: (line: number) => string | undefined) {
  if (url.endsWith(bundleFile)) return fileAt(lineNumber);
  if (url.startsWith("node:")) return url;
  return url === "" ? undefined : "the benchmark";
}

/** For each node the file of the nearest function on its stack that is not Node's. */
function callersOf(nodes: Node[], files: Map<number, string | undefined>): Map<number, string> {
  const callers = new Map<number, string>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const visit = (node: Node, inherited: string | undefined) => {
    const file = files.get(node.id);
    const caller = file === undefined || file.startsWith("node:") ? inherited : file;
    if (caller !== undefined) callers.set(node.id, caller);
    for (const child of node.children ?? []) visit(byId.get(child) as Node, caller);
  };
  const [root] = nodes;
  if (root) visit(root, undefined);
  // What belongs to nobody: the engine's own, and what Node does of itself, such as reading from sockets.
  for (const node of nodes) {
    if (callers.has(node.id) || isEngine(node)) continue;
    callers.set(node.id, "Node by itself");
  }
  return callers;
}

/** `(garbage collector)` and the like. */
function isEngine(node: Node): boolean {
  return nameOf(node).startsWith("(") && node.callFrame.url === "";
}

/** Nobody's time: waiting, and the profiler's own. */
function isIdle(node: Node): boolean {
  return nameOf(node) === "(idle)" || node.callFrame.url === "node:inspector";
}

function nameOf({ callFrame: { functionName } }: Node): string {
  return functionName || "(anonymous)";
}

/** The package of a dependency's file, and each of our own files as it is. */
function packageOf(file: string): string {
  const isOurs = /^(adapters|domain|handlers|components)\//.test(file);
  const [, name] = /^((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  return isOurs ? file : (name ?? file);
}
