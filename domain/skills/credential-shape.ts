// Text that looks like a credential: a skill is read by all members, so no credential belongs into its files.

/** Shapes by which their issuers let scanners find them; the name says whose it is. */
const shapes: readonly [name: string, shape: RegExp][] = [
  ["a private key", /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/],
  // docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html; AWS's own examples end with EXAMPLE.
  ["an AWS access key", /\b(?:AKIA|ASIA)(?![0-9A-Z]{9}EXAMPLE)[0-9A-Z]{16}\b/],
  ["a GitHub token", /\b(?:gh[pousr]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{60,})/],
  ["a GitLab token", /\bglpat-[0-9A-Za-z_-]{20,}/],
  ["a Slack token", /\bxox[abeoprs]-[0-9A-Za-z-]{20,}/],
  ["a key of a model vendor", /\bsk-(?:ant-|proj-|svcacct-)?[0-9A-Za-z_-]{32,}/],
  ["a Stripe key", /\b(?:sk|rk)_live_[0-9A-Za-z]{20,}/],
  ["a Google API key", /\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])/],
  ["an npm token", /\bnpm_[0-9A-Za-z]{36}\b/],
  [
    "an API key of this platform",
    /\bar_(?:live|test)_[0-9A-Za-z]{40,}|\bar_(?:live|test)_[0-9A-Za-z]+_[0-9A-Za-z]{30,}/,
  ],
  ["a signed token", /\beyJ[0-9A-Za-z_-]{16,}\.eyJ[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}/],
];

/** Kinds of credentials that the text seems to hold, each with its line, from 1. The credential itself is in no message. */
export function credentialsIn(text: string): { name: string; line: number }[] {
  return shapes.flatMap(([name, shape]) => {
    const place = text.search(shape);
    return place < 0 ? [] : [{ name, line: text.slice(0, place).split("\n").length }];
  });
}
