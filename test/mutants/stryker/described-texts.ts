// The mutants that are not played: changes of a schema's names and texts in the API's description.
import type { Ignorer, NodePath } from "@stryker-mutator/api/ignore";

/** The part of Babel's `NodePath` that is read here. */
interface Place extends NodePath {
  listKey?: string | null;
  parent: { callee?: { property?: { name?: string } } };
}

export class DescribedTexts implements Ignorer {
  shouldIgnore(path: NodePath): string | undefined {
    const { listKey, parent } = path as Place;
    const method = listKey === "arguments" ? parent.callee?.property?.name : undefined;
    return method === "describe" || method === "meta" ? "test/docs compares it with docs/api.md." : undefined;
  }
}
