// Who may set each field of a request's body, as data beside the schema: whom a field binds does not set it. A field that names no writer does
// not compile; writer-check.ts refuses what is somebody else's.
import type * as z from "zod";

/**
 * Who may set a field, of those whom the route lets in:
 * - `caller`: each of them, because it binds nobody else
 * - `owner`: the workspace's owner
 * - `platform_admin`: the platform's administrators
 * - a rule of the use case, which looks at the value or at what is there
 */
export type Writer = "caller" | "owner" | "platform_admin" | UseCaseRule;

export class UseCaseRule {
  /** Those who may set the field, e.g. `the owner, and its maker until ...`. */
  readonly who: string;
  /** The function of the domain that refuses all others. */
  readonly enforcedBy: string;

  constructor(enforcedBy: (...parameters: never[]) => unknown, who: string) {
    this.enforcedBy = enforcedBy.name;
    this.who = who;
  }
}

export function wordsFor(writer: Writer): string {
  return writer instanceof UseCaseRule ? writer.who : writerWords[writer];
}

const writerWords = {
  caller: "every caller",
  owner: "only the owner",
  platform_admin: "only platform administrators",
};

/** The writers of a group of fields, or of the values of an enumeration: one for all, or one for each. */
type WritersOf<T> =
  | Writer
  | ([T] extends [string]
      ? string extends T
        ? never
        : { readonly [Value in T]: Writer }
      : [T] extends [readonly unknown[]]
        ? never
        : [T] extends [object]
          ? FieldsOf<T>
          : never);

type FieldsOf<T extends object> = string extends keyof T
  ? never
  : { readonly [Field in keyof T]-?: WritersOf<NonNullable<T[Field]>> };

export type Writers = Writer | { readonly [part: string]: Writers };

/** A body: its schema, and who may set its fields. */
export type Body<Schema extends z.ZodType = z.ZodType> = { readonly schema: Schema; readonly writers: Writers };

/** @param writers one for the whole body, or one for each field */
export function writtenBy<Schema extends z.ZodType>(schema: Schema, writers: WritersOf<z.input<Schema>>): Body<Schema> {
  return { schema, writers: writers as Writers };
}

/** A field, or a value of an enumeration (`kind: service_account`), with its writer. `path` is empty for a whole body. */
export type WrittenField = { path: string; writer: Writer };

export function writtenFields(writers: Writers, path = ""): WrittenField[] {
  if (typeof writers === "string" || writers instanceof UseCaseRule) return [{ path, writer: writers }];
  return Object.entries(writers).flatMap(([part, inner]) =>
    writtenFields(inner, path === "" ? part : `${path}.${part}`),
  );
}
