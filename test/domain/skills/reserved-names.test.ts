import { expect, test } from "@jest/globals";
import { environmentChange } from "../../../domain/skills/environment.ts";
import { reservedProblem } from "../../../domain/skills/reserved-names.ts";

const named = [
  ...[
    "PATH",
    "HOME",
    "IFS",
    "ENV",
    "PS4",
    "UID",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_ENV",
    "BASH_FUNC_LS",
    "PROMPT_COMMAND",
  ],
  ...["LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH", "MALLOC_TRACE", "TMPDIR"],
  ...["PYTHONPATH", "PYTHONSTARTUP", "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_USE_ENV_PROXY"],
  ...["NODE_TLS_REJECT_UNAUTHORIZED", "PERL5OPT", "PERL5LIB", "PERLLIB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS"],
  ...[
    "OPENSSL_CONF",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "HTTPS_PROXY",
    "ALL_PROXY",
  ],
  ...["NO_PROXY", "GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "INPUT_DIR", "OUTPUT_DIR", "AWS_PROFILE", "ARCHWAY_URL"],
];

test.each(named)("the variable %s is reserved in every spelling", (name) => {
  const wide = [...name].map((letter) =>
    /[A-Z]/.test(letter) ? String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0) : letter,
  );
  const spellings = [
    name,
    name.toLowerCase(),
    name.replaceAll(/(?<=.)[A-Z]/g, (letter) => letter.toLowerCase()),
    wide.join(""),
  ];
  expect(spellings.filter((spelling) => reservedProblem(spelling) === undefined)).toEqual([]);
  expect(environmentChange.safeParse({ [name]: "x" }).error?.issues).toMatchObject([
    { path: [name], message: expect.stringContaining("is reserved") },
  ]);
});

test.each(["ſHELLOPTS", "BAſH_ENV", "\u{1d5e3}ATH"])(
  "the variable %s is reserved, because compatible letters make it a reserved name",
  (name) => {
    expect(reservedProblem(name)).toBeDefined();
  },
);

test.each([
  "JIRA_TOKEN",
  "JIRA_URL",
  "GITHUB_TOKEN",
  "GOOGLE_API_KEY",
  "SSH_PRIVATE_KEY",
  "NPM_TOKEN",
  "LANG",
  "TZ",
  "LESSON",
  "MODE",
  "PROXY",
  "ENVIRONMENT",
])("the variable %s is not reserved", (name) => {
  expect(reservedProblem(name)).toBeUndefined();
});

test.each(["PАTH", "ENⅤ", "TOKEN", "ＡPI"])("the variable %s is valid only if its letters are ASCII", (name) => {
  expect(environmentChange.safeParse({ [name]: "x" }).success).toBe(/^[A-Z]+$/.test(name));
});
