// The evaluated program as CloudFormation templates, one for each region: for linters, which know AWS's own schemas. Nothing is
// deployed from them.
import type { DeclaredResource, Resources } from "../../emulators/pulumi/resources.ts";
import { translations, type Values, Verbatim } from "./translations.ts";
import { untranslated } from "./untranslated.ts";

export type Template = {
  AWSTemplateFormatVersion: "2010-09-09";
  Resources: Record<string, { Type: string; Properties: Values }>;
};

/**
 * By region.
 * @throws Error that names each resource type which is neither translated nor said to have no counterpart.
 */
export function templatesOf(resources: Resources, region: string): Map<string, Template> {
  const unknown = new Set([...resources].map(({ type }) => type).filter((type) => !isKnown(type)));
  if (unknown.size > 0) throw new Error(`No translation to CloudFormation: ${[...unknown].join(", ")}`);
  const templates = new Map<string, Template>();
  for (const declared of resources) {
    const translation = translations[declared.type];
    if (!translation) continue;
    const place = declared.inputs.region ?? region;
    const references = referencesTo([...resources].filter(({ inputs }) => (inputs.region ?? region) === place));
    const template = templates.get(place) ?? { AWSTemplateFormatVersion: "2010-09-09", Resources: {} };
    const { type, names = {}, shape = (inputs) => inputs } = translation;
    const inputs = shape(declared.inputs, declared, resources);
    template.Resources[logicalId(declared)] = { Type: type, Properties: translated(inputs, names, references) };
    templates.set(place, template);
  }
  return templates;
}

function isKnown(type: string): boolean {
  return type in translations || type in untranslated;
}

function logicalId({ type, name }: DeclaredResource): string {
  const [, service, kind] = translations[type]?.type.split("::") ?? [];
  return `${service}${kind} ${name}`.replace(/[^a-zA-Z0-9]+(.)/g, (_, first) => first.toUpperCase());
}

/** A reference for each ARN and id: linters then check what may refer to what. */
function referencesTo(resources: DeclaredResource[]): Map<unknown, Values> {
  const references = new Map<unknown, Values>();
  for (const declared of resources) {
    const { arn, id } = translations[declared.type] ?? {};
    if (arn) references.set(declared.outputs.arn, { "Fn::GetAtt": [logicalId(declared), arn] });
    if (id) references.set(declared.outputs.id, { Ref: logicalId(declared) });
  }
  return references;
}

function translated(value: unknown, names: Record<string, string>, references: Map<unknown, Values>): Values {
  const walk = (item: unknown): unknown => {
    if (item instanceof Verbatim) return item.value;
    if (typeof item === "string") return references.get(item) ?? item;
    if (Array.isArray(item)) return item.map(walk);
    if (item === null || typeof item !== "object") return item;
    return Object.fromEntries(Object.entries(item).map(([key, member]) => [names[key] ?? capital(key), walk(member)]));
  };
  return walk(value) as Values;
}

function capital(key: string): string {
  return key.charAt(0).toUpperCase() + key.slice(1);
}
