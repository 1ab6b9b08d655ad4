// The mutants that are not played: changes of texts for people, which may be worded in any way, and of a schema's names and texts in the
// API's description.
import type { Ignorer, NodePath } from "@stryker-mutator/api/ignore";

/** The part of Babel's `NodePath` that is read here. */
interface Place extends NodePath {
  listKey?: string | null;
  parent: { callee?: { property?: { name?: string } } };
  node: { type: string; value?: unknown };
}

export class DescribedTexts implements Ignorer {
  shouldIgnore(path: NodePath): string | undefined {
    const { listKey, parent, node } = path as Place;
    // Code compares no text that has a space.
    if (node.type === "StringLiteral" && String(node.value).includes(" "))
      return "A text for people may be worded in any way.";
    const method = listKey === "arguments" ? parent.callee?.property?.name : undefined;
    return method === "describe" || method === "meta" ? "test/docs compares it with docs/api.md." : undefined;
  }
}
