// A part of an operation that the gateway cannot call as the document says. An optional part is left out of the tool, and an operation that
// needs the part is not offered.

export const unsupportedCodes = [
  "parameter_style",
  "cookie_parameter",
  "media_type",
  "file",
  "same_name",
  "other_server",
  "path_invalid",
  "method",
  "external_reference",
  "dangling_reference",
  "too_large",
] as const;

export type UnsupportedCode = (typeof unsupportedCodes)[number];

export class Unsupported extends Error {
  readonly code: UnsupportedCode;

  /** @param message continues the name of the part: "is sent in a cookie" */
  constructor(code: UnsupportedCode, message: string) {
    super(message);
    this.code = code;
  }
}
