// The fields that a request of the Messages API can have, read out of the types of an SDK.
import ts from "typescript";

export type RequestField = { holder: string; field: string };

/**
 * Each field once, with what holds it: the name and the type of an element or object; `:` for the body.
 * @param path of the declarations that export `MessageCreateParamsNonStreaming`
 */
export function requestFields(path: string): RequestField[] {
  const program = ts.createProgram([path], {
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const exported = source && checker.getSymbolAtLocation(source);
  const params = exported
    ? checker.getExportsOfModule(exported).find(({ name }) => name === "MessageCreateParamsNonStreaming")
    : undefined;
  if (!params) throw new Error(`${path} has no MessageCreateParamsNonStreaming`);
  const fields = new Map<string, RequestField>();
  const seen = new Set<string>();
  walk(checker.getDeclaredTypeOfSymbol(params), "");
  return [...fields.values()];

  function walk(type: ts.Type, name: string): void {
    if (type.isUnion()) {
      for (const one of type.types) walk(one, name);
      return;
    }
    if (checker.isArrayType(type)) {
      const [element] = checker.getTypeArguments(type as ts.TypeReference);
      if (element) walk(element, name);
      return;
    }
    // An object of the caller's own, such as a schema, has any keys.
    if (!(type.flags & ts.TypeFlags.Object) || type.getStringIndexType()) return;
    const properties = type.getProperties();
    if (seen.has(`${name} ${checker.typeToString(type)}`) || properties.some(isMethod)) return;
    seen.add(`${name} ${checker.typeToString(type)}`);
    for (const tag of tagsOf(type)) {
      for (const { name: field } of properties) {
        const holder = name === "" ? ":" : `${name}:${tag}`;
        fields.set(`${holder} ${field}`, { holder, field });
      }
    }
    for (const property of properties) {
      if (property.name !== namedByTools) walk(checker.getTypeOfSymbol(property), property.name);
    }
  }

  /** The values of `type`; an empty one where there need be none. */
  function tagsOf(type: ts.Type): string[] {
    const property = type.getProperty("type");
    if (!property) return [""];
    const value = checker.getTypeOfSymbol(property);
    const tags = (value.isUnion() ? value.types : [value]).flatMap((one) => (one.isStringLiteral() ? one.value : []));
    return property.flags & ts.SymbolFlags.Optional || tags.length === 0 ? [...tags, ""] : tags;
  }
}

/** The settings of a set of tools, by the names of the tools. */
const namedByTools = "configs";

const isMethod = ({ flags }: ts.Symbol) => (flags & ts.SymbolFlags.Method) !== 0;
