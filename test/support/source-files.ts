// TypeScript files as the compiler's own parser reads them: what each one imports, and which names it uses.
import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export type SourceFile = {
  /** From the repository's root. */
  path: string;
  /** Everything it loads, types included: `domain/key.ts` from the root, `npm:zod` without a subpath, `node:crypto`. */
  imports: string[];
  /** Those among them that wait until they are needed, as in `await import("bcryptjs")`. */
  dynamicImports: string[];
  /** Every name that is read, imported names too, and `new Date()` where the time of day is asked for. */
  names: Set<string>;
  /** True if it does nothing but pass on what others export. */
  isBarrel: boolean;
  /** Lines that are neither blank nor part of an import. */
  ownLines: number;
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const notOurs = new Set(["node_modules", "dist", ".local", ".git", "docs"]);

/** Every TypeScript file of the repository. */
export async function sourceFiles(folder = ""): Promise<SourceFile[]> {
  const entries = await readdir(posix.join(root, folder), { withFileTypes: true });
  const nested = entries.map(async (entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : sourceFiles(path);
    return entry.name.endsWith(".ts") ? [parseSource(path, await readFile(posix.join(root, path), "utf8"))] : [];
  });
  return (await Promise.all(nested)).flat();
}

export function parseSource(path: string, text: string): SourceFile {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports: string[] = [];
  const dynamicImports: string[] = [];
  const names = new Set<string>();
  visit(tree);
  return {
    path,
    imports,
    dynamicImports,
    names,
    isBarrel: tree.statements.length > 0 && tree.statements.every(passesOn),
    ownLines: ownLines(tree),
  };

  function visit(node: ts.Node): void {
    const specifier = specifierOf(node);
    if (specifier !== undefined) imports.push(targetOf(path, specifier));
    if (specifier !== undefined && ts.isCallExpression(node)) dynamicImports.push(targetOf(path, specifier));
    if (ts.isIdentifier(node) && isRead(node)) names.add(node.text);
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) names.add(node.getText());
    if (ts.isNewExpression(node) && !node.arguments?.length) names.add(`new ${node.expression.getText()}()`);
    ts.forEachChild(node, visit);
  }
}

/** The text after `from`, or inside `import()`, in every form that TypeScript has. */
function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return literal(node.moduleSpecifier);
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? literal(node.argument.literal) : undefined;
  const loads = ts.isCallExpression(node) && (node.expression.kind === ts.SyntaxKind.ImportKeyword || isRequire(node));
  return loads ? literal(node.arguments[0]) : undefined;
}

function isRequire({ expression }: ts.CallExpression): boolean {
  return ts.isIdentifier(expression) && expression.text === "require";
}

function literal(node: ts.Node | undefined): string | undefined {
  return node && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function targetOf(path: string, specifier: string): string {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(path), specifier);
  if (specifier.startsWith("node:")) return specifier;
  return `npm:${specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")}`;
}

/** False where a name is only written down: a field, a member's name after a dot, a parameter. */
function isRead(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isBindingElement(parent)) return false;
  const isDeclared = "name" in parent && parent.name === node;
  return !isDeclared || ts.isImportSpecifier(parent) || ts.isShorthandPropertyAssignment(parent);
}

function passesOn(statement: ts.Statement): boolean {
  return ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined;
}

function ownLines(tree: ts.SourceFile): number {
  const lineOf = (position: number) => tree.getLineAndCharacterOfPosition(position).line;
  const imported = tree.statements
    .filter(ts.isImportDeclaration)
    .map((statement) => ({ first: lineOf(statement.getStart()), last: lineOf(statement.end) }));
  return tree.text
    .split("\n")
    .filter((line, number) => line.trim() !== "" && !imported.some(({ first, last }) => first <= number && number <= last))
    .length;
}
