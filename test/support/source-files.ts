// TypeScript files as the compiler's own parser reads them: what each one imports, and which names it uses.
import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export type Import = {
  /** `domain/access/api-key.ts` from the root, `npm:zod` and `node:fs` without a subpath. */
  target: string;
  /** True if it waits until it is needed, as in `await import("bcryptjs")`. */
  dynamic: boolean;
  /** True if nothing of it is left when the types are gone. */
  typeOnly: boolean;
};

export type SourceFile = {
  /** From the repository's root. */
  path: string;
  text: string;
  lines: number;
  /** Types included. */
  imports: Import[];
  /** Every name that is read, imported ones too, `Date.now` and `new Date()` whole, `*node:crypto` for all of a module. */
  names: Set<string>;
  /** True if it does nothing but pass on what others export. */
  isBarrel: boolean;
  /** Where it tells the compiler a type: `as T`, but not `as const`. */
  casts: number;
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const notOurs = new Set(["node_modules", "dist", ".local", ".git"]);

/** Every TypeScript file of the repository; one that only declares a package's types is none. */
export async function sourceFiles(folder = ""): Promise<SourceFile[]> {
  const entries = await readdir(posix.join(root, folder), { withFileTypes: true });
  const nested = entries.map(async (entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : sourceFiles(path);
    const isSource = /\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts");
    return isSource ? [parseSource(path, await readFile(posix.join(root, path), "utf8"))] : [];
  });
  return (await Promise.all(nested)).flat();
}

export function parseSource(path: string, text: string): SourceFile {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports: Import[] = [];
  const names = new Set<string>();
  let casts = 0;
  visit(tree);
  return {
    path,
    text,
    lines: text.trimEnd().split("\n").length,
    imports,
    names,
    isBarrel: tree.statements.length > 0 && tree.statements.every(passesOn),
    casts,
  };

  function visit(node: ts.Node): void {
    const specifier = specifierOf(node);
    if (specifier !== undefined)
      imports.push({
        target: targetOf(path, specifier),
        dynamic: ts.isCallExpression(node),
        typeOnly: ts.isImportTypeNode(node) || (ts.isImportDeclaration(node) && isTypeOnly(node)),
      });
    if (ts.isIdentifier(node) && isRead(node)) names.add(node.text);
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) names.add(node.getText());
    if (ts.isImportClause(node) && takesAll(node))
      names.add(`*${targetOf(path, literal(node.parent.moduleSpecifier) ?? "")}`);
    if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) casts += 1;
    if (ts.isNewExpression(node) && !node.arguments?.length) names.add(`new ${node.expression.getText()}()`);
    ts.forEachChild(node, visit);
  }
}

/** The text after `from`, or inside `import()`, in every form that TypeScript has. */
function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return literal(node.moduleSpecifier);
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? literal(node.argument.literal) : undefined;
  const loads = ts.isCallExpression(node) && (node.expression.kind === ts.SyntaxKind.ImportKeyword || isRequire(node));
  return loads ? literal(node.arguments[0]) : undefined;
}

function isTypeOnly({ importClause }: ts.ImportDeclaration): boolean {
  return importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

/** `import * as crypto from` and `import crypto from`. */
function takesAll({ name, namedBindings }: ts.ImportClause): boolean {
  return name !== undefined || (namedBindings !== undefined && ts.isNamespaceImport(namedBindings));
}

function isRequire({ expression }: ts.CallExpression): boolean {
  return ts.isIdentifier(expression) && expression.text === "require";
}

function literal(node: ts.Node | undefined): string | undefined {
  return node && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function targetOf(path: string, specifier: string): string {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(path), specifier);
  // A subpath import of package.json stands for the file it names.
  if (specifier === "#catalog") return "domain/catalog/catalog-data.ts";
  if (specifier.startsWith("node:")) return specifier.split("/", 1).join();
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
