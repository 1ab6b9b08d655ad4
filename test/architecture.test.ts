// The rules that keep the layers apart and the files findable, each checked on every source file.
import { readFileSync } from "node:fs";
import { basename, dirname, matchesGlob } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { runtimeProviders } from "../domain/marketplace/providers.ts";
import { parseSource, type SourceFile, sourceFiles } from "./support/source-files.ts";

const node = "node:!(process)";
const packages = ["npm:*", "npm:@*/*"];
const domain = "{domain,domain/*}/*.ts";
const adapters = "{adapters,adapters/*,adapters/dynamodb/*}/*.ts";
const components = "{components,components/*}/*.ts";
const middleware = ["handlers/middleware/*.ts", "npm:@middy/*", "npm:aws-lambda", "npm:zod", node];

/** What a file may import: the first row that fits counts. `own` is the file's folder, or the package it is in. */
const mayImport: [files: string, targets: string[]][] = [
  ["index.ts", [components]],
  [
    components,
    [
      ...[components, domain, "{handlers,handlers/*}/contract.ts"],
      ...[
        "handlers/middleware/refusal-form.ts",
        "adapters/dynamodb/{records,removal,table}.ts",
        "adapters/dynamodb/*/*.record.ts",
        "adapters/bedrock/catalog-facts.ts",
      ],
      ...["npm:@pulumi/*", "npm:{zod,esbuild,fflate}", node],
    ],
  ],
  ["domain/access/key-text.ts", [domain, "node:zlib"]],
  ["domain/workspace/slugify.ts", ["npm:any-ascii"]],
  // The console holds it, too.
  ["domain/workspace/audit-actions.ts", []],
  ["domain/skills/frontmatter.ts", ["own/*.ts", "npm:yaml"]],
  // Arithmetic of addresses alone: it opens nothing.
  ["domain/upstream/public-address.ts", ["node:net"]],
  [domain, [domain, "npm:{zod,p-map}", "node:{crypto,util}"]],
  // aws.ts, connections.ts and sqs.ts are no outside systems of their own but the way to several, request-signer.ts is their signature; redaction.ts guards what all of them say.
  // It writes lines to the standard output, and nothing else of the process is its business.
  ["adapters/telemetry.ts", [domain, "node:process"]],
  ["adapters/aws.ts", ["adapters/request-signer.ts", ...packages, node]],
  ["adapters/*.ts", ["adapters/{aws,connections,redaction,sqs}.ts", domain, ...packages, node]],
  [
    "adapters/dynamodb/**",
    ["adapters/dynamodb/**", "adapters/{aws,connections,redaction}.ts", domain, ...packages, node],
  ],
  // The asking side of the actions of another function.
  [
    "adapters/functions/*.ts",
    ["own/*.ts", "adapters/connections.ts", "actions/*.ts", domain, "npm:@aws-sdk/client-lambda"],
  ],
  ["adapters/*/*.ts", ["own/*.ts", "adapters/{aws,connections,redaction}.ts", domain, ...packages, node]],
  // A contract of a function that others ask, between its handler and those who ask it.
  ["actions/*.ts", ["own/*.ts", domain, "npm:zod"]],
  ["handlers/contract.ts", ["npm:zod"]],
  ["handlers/actions.ts", ["handlers/middleware/refusal-form.ts", "actions/action.ts", domain]],
  ["handlers/*/contract.ts", ["handlers/contract.ts", domain, "npm:zod"]],
  // Routes are only data: those of a noun, and what a route is.
  ["handlers/control/*/*.routes.ts", ["handlers/control/routing/{list-query,route,writers}.ts", domain, "npm:zod"]],
  ["handlers/control/routing/{route,writers}.ts", ["handlers/control/routing/writers.ts", domain, "npm:zod"]],
  [
    "handlers/control/nouns.ts",
    ["handlers/control/dependencies.ts", "handlers/control/routing/noun.ts", "handlers/control/*/*.ts"],
  ],
  ["handlers/middleware/csv.ts", ["npm:{csv-stringify,csv-stringify/sync}", "npm:zod"]],
  ["handlers/middleware/*.ts", [domain, ...middleware]],
  ["handlers/*/lambda.ts", ["handlers/contract.ts", "own/*.ts", domain, adapters, node]],
  ["handlers/control/routing/*.ts", ["own/*.ts", "handlers/control/dependencies.ts", domain, ...middleware]],
  [
    "handlers/control/*/*.ts",
    ["own/*.ts", "handlers/control/dependencies.ts", "handlers/control/routing/*.ts", domain, "npm:zod"],
  ],
  // `stores.ts` makes the table's stores: dependencies.ts has their types, and only lambda.ts runs it.
  ["handlers/control/stores.ts", ["adapters/dynamodb/**"]],
  ["handlers/control/dependencies.ts", ["own/stores.ts", domain]],
  ["handlers/control/*.ts", ["handlers/contract.ts", "own/!(stores).ts", "own/*/*.ts", domain, ...middleware]],
  ["handlers/*/*.ts", ["handlers/{actions,contract}.ts", "actions/*.ts", "own/*.ts", domain, ...middleware]],
  // The emulators know nothing of the product: they could serve any other stack.
  ["emulators/test/**", ["emulators/**", ...packages, "node:*"]],
  ["emulators/**", ["emulators/!(test)/**", "emulators/*.ts", ...packages, "node:*"]],
  ["local/demo/{billing,workspace}.ts", ["{emulators,local}/**", domain, adapters, ...packages, "node:*"]],
  ["local/**", ["{emulators,local}/**", ...packages, "node:*"]],
  // Two packages are bundled into the others: what every command is made of, and on that how a person signs in.
  ["packages/command-line/**", ["own/**", ...packages, "node:*"]],
  ["packages/sign-in/**", ["own/**", "packages/command-line/**", ...packages, "node:*"]],
  // A client's check of a folder is the platform's own: one set of rules.
  [
    "packages/skills-mcp/**",
    ["own/**", "packages/{command-line,sign-in}/**", "domain/skills/*.ts", ...packages, "node:*"],
  ],
  ["packages/*/**", ["own/**", "packages/{command-line,sign-in}/**", ...packages, "node:*"]],
  // Runs in the tenants' runtimes, and knows the platform in no way.
  ["runtimes/*.ts", ["own/*.ts", "domain/upstream/public-address.ts", "npm:@modelcontextprotocol/**", "node:*"]],
  // The arithmetic of charts knows neither React nor the platform.
  ["console/charts/*.ts", ["console/charts/*.ts"]],
  [
    "console/**",
    [
      "console/**",
      "{handlers/control/nouns,components/console/console-config,domain/workspace/audit-actions}.ts",
      ...packages,
    ],
  ],
  [
    "bench/**",
    ["bench/**", "{emulators,local}/**", "test/support/memory-dynamodb/*.ts", domain, adapters, ...packages, "node:*"],
  ],
  ["docs/alarms.ts", ["components/alarm-data.ts", "local/program/program.ts", "node:*"]],
  ["docs/local-host.ts", ["emulators/bedrock/rules/{rule,rules}.ts", "node:*"]],
  ["docs/storage.ts", ["adapters/dynamodb/{record,records,removal}.ts", "local/program/program.ts", domain, "node:*"]],
  ["docs/*.ts", ["handlers/{control/nouns,control/routing/*,middleware/refusal-form}.ts", domain, "node:*"]],
  ["operations/*.ts", [domain, adapters, "{components/config,operations/plain-errors}.ts", "npm:{yaml,zod}", "node:*"]],
  ["examples/*.ts", [...packages, "node:*"]],
  ["test/**", ["**", ...packages, "node:*"]],
  ["*.config.ts", [...packages, "node:*"]],
];

/** Who may import a file besides tests, where that is fewer than the table above lets. */
const importedBy: [files: string, importers: string[]][] = [
  ["handlers/*/lambda.ts", []],
  ["test/support/memory-dynamodb/*.ts", ["bench/**"]],
  ["operations/plain-errors.ts", ["operations/*.ts"]],
  [
    "{index.ts,test/*.ts,test/!(support)/**,test/support/{*,!(memory-dynamodb)/**},examples/**,operations/!(plain-errors).ts}",
    [],
  ],
  ["bench/**", ["bench/**"]],
  ["console/**", ["console/**"]],
];

/** What a file may not use: time, chance and the environment come in as arguments. */
const mayNotUse: [files: string, names: string[]][] = [
  [domain, ["Date.now", "new Date()", "performance", "setTimeout", "setInterval", "fetch", "console"]],
  [domain, ["Math.random", "crypto", "webcrypto", "randomUUID", "randomBytes", "randomInt", "*node:crypto"]],
  // handlers/contract.ts alone reads the environment, and only a lambda.ts makes it do so.
  [`{${domain},${components},handlers/*/*.ts,handlers/control/*/*.ts,${adapters}}`, ["process", "globalThis"]],
  ["handlers/*/!(lambda).ts", ["readEnv", "readRuntime"]],
  ["console/charts/*.ts", ["Date.now", "new Date()", "fetch", "document", "window"]],
];

/** Where the types of a route carry through to its operation; implement.ts alone forgets them, once. */
const mayNotCast = "handlers/{control,control/!(routing),middleware}/*.ts";

/** The catalog's data alone name ids and sources of the model host. */
const namesTheHost = "domain/catalog/{catalog,capability}-data.ts";
/** Words of the model host's wire: its forms, metrics, errors and the ids of its profiles. AgentCore, in whose address its name is, is another system. */
const wireWords = [
  /bedrock(?!-agentcore)/i,
  ...[
    /invocation-?metrics/i,
    /InvokeModel/,
    /\bCountTokens\b/,
    /invalid beta flag/i,
    /extra inputs are not/i,
    /extraneous key/i,
  ],
  ...[/inference-profile/i, /foundation-model/i, /["'`](?:us|eu|apac|global)\./],
];

const drawers = /^(utils?|helpers?|common|misc|shared|index)$/;
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|test-d|suite|config|record|routes))?\.tsx?$/;
/** More are not taken in at a glance. */
const mostFiles = 22;
/** Longer ones have a second subject. A suite is a list of statements about one file, however many that needs. */
const mostLines = 300;
const suites = "{test,emulators/test}/**/*.{test,suite}.ts";

const files = await sourceFiles();

describe("every file", () => {
  test("each file imports only what its layer may import", () => {
    expect(files.flatMap(wrongImports)).toEqual([]);
  });

  test("each file is imported only by files that may import it", () => {
    expect(files.flatMap(wrongImporters)).toEqual([]);
  });

  test("files of the domain get time, randomness and the environment as arguments", () => {
    expect(files.flatMap(wrongNames)).toEqual([]);
  });

  test("files of operations contain no casts", () => {
    expect(files.flatMap(wrongCasts)).toEqual([]);
  });

  test("each file is in no cycle of imports, including types", () => {
    expect(cycles(files)).toEqual([]);
  });

  test("each file is named by a noun in kebab-case, at most three folders deep", () => {
    expect(files.flatMap(wrongPlaces)).toEqual([]);
  });
});

test("only the model host's adapter knows its wire: domain/ contains none of its names, except in the catalog's data", () => {
  expect(files.flatMap(hostWords)).toEqual([]);
});

test(`no file has more than ${mostLines} lines, except test suites`, () => {
  expect(files.flatMap(tooLong)).toEqual([]);
});

test("the folders of the repository import each other without a cycle", () => {
  expect(cycles(layers(files))).toEqual([]);
});

describe("the contexts of domain/", () => {
  test("the contexts of the domain import each other without a cycle", () => {
    expect(circles(files, "domain")).toEqual([]);
  });

  test.each(["adapters/dynamodb", "test/domain", "test/adapters/dynamodb"])(
    "the contexts of the domain are also the folders of %s",
    (place) => {
      expect(contextsIn(place).filter((name) => !contextsIn("domain").includes(name))).toEqual([]);
    },
  );
});

test(`no folder holds more than ${mostFiles} files`, () => {
  const sizes = Map.groupBy(files, ({ path }) => dirname(path));
  expect([...sizes].flatMap(([folder, { length }]) => (length > mostFiles ? [`${folder}: ${length}`] : []))).toEqual(
    [],
  );
});

test("the console imports only types from the platform, not code", () => {
  const taken = files
    .filter(({ path }) => path.startsWith("console/"))
    .flatMap(({ path, imports }) => imports.map((one) => ({ path, ...one })))
    .filter(({ target, typeOnly }) => !target.startsWith("npm:") && !target.startsWith("console/") && !typeOnly);
  expect(taken.map(({ target }) => target)).toEqual(["domain/workspace/audit-actions.ts"]);
});

test("each SDK belongs to one adapter", () => {
  expect(sharedSdks(files)).toEqual([]);
});

test("packages for tests and the local stack are not dependencies of the deployed program", () => {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: object };
  const deployed = files.filter(({ path }) => !/^(test|emulators|local|docs|examples)\//.test(path));
  const imported = deployed.flatMap(({ imports }) => imports.map(({ target }) => target.replace("npm:", "")));
  const bundled = runtimeProviders.map((provider) => provider.package);
  expect(Object.keys(dependencies).filter((name) => ![...imported, ...bundled].includes(name))).toEqual([]);
});

test("the package of the emulators lists what they import, in the same versions as the product", () => {
  const manifest = (path: string): Record<"dependencies" | "devDependencies", Record<string, string>> =>
    JSON.parse(readFileSync(path, "utf8"));
  const [product, emulators] = [manifest("package.json"), manifest("emulators/package.json")];
  const importedIn = (pattern: string) => {
    const targets = files.filter(({ path }) => matchesGlob(path, pattern)).flatMap(({ imports }) => imports);
    return new Set(targets.flatMap(({ target }) => (target.startsWith("npm:") ? target.slice(4) : [])));
  };
  const [ofTests, ofSources] = [importedIn("emulators/test/**"), importedIn("emulators/{*.ts,!(test)/**}")];
  expect(new Set(Object.keys(emulators.dependencies))).toEqual(ofSources);
  expect(new Set(Object.keys(emulators.devDependencies))).toEqual(
    new Set([...ofTests].filter((name) => !ofSources.has(name))),
  );
  const versions = { ...emulators.dependencies, ...emulators.devDependencies };
  const shared = Object.entries({ ...product.dependencies, ...product.devDependencies });
  expect(shared.filter(([name, version]) => (versions[name] ?? version) !== version)).toEqual([]);
});

test.each([
  ["bcryptjs", "when a key must be hashed"],
  ["@aws-sdk/client-sqs", "when a message must be sent"],
  ["@aws-sdk/client-sesv2", "when a mail must be sent"],
  ["@aws-sdk/client-lambda", "when another function is asked"],
])("%s is loaded only %s", (name) => {
  const target = `npm:${name}`;
  const values = files
    .filter(({ path }) => !matchesGlob(path, "{test,emulators/test}/**"))
    .flatMap(({ imports }) => imports.filter((one) => one.target === target && !one.typeOnly));
  expect(values.map(({ dynamic }) => dynamic)).toContain(true);
  expect(values.filter(({ dynamic }) => !dynamic)).toEqual([]);
});

describe("the rules catch", () => {
  test.each([
    ["an SDK in a rule of the field", "domain/a.ts", 'import { S3 } from "@aws-sdk/client-s3";'],
    ["a type of an adapter", "domain/a.ts", 'import type { Store } from "../adapters/dynamodb/workspace/tenants.ts";'],
    [
      "an adapter behind import()",
      "handlers/proxy/handler.ts",
      'await import("../../adapters/bedrock/model-host.ts");',
    ],
    ["an adapter behind typeof import()", "handlers/proxy/a.ts", 'type A = typeof import("../../adapters/sts.ts");'],
    ["another function's folder", "handlers/proxy/a.ts", 'export * from "../control/me.ts";'],
    ["a function's folder in a middleware", "handlers/middleware/a.ts", 'import "../proxy/events.ts";'],
    ["another adapter", "adapters/stripe.ts", 'import "./sts.ts";'],
    ["a function in who asks it", "adapters/functions/a.ts", 'import "../../handlers/probe/contract.ts";'],
    ["a function in its contract with others", "actions/a.ts", 'import "../handlers/middleware/refusal-form.ts";'],
    ["another adapter's folder", "adapters/dynamodb/a.ts", 'import "../sts.ts";'],
    ["a handler in the local stack", "local/a.ts", 'import "../handlers/proxy/handler.ts";'],
    ["a rule of the field in the local stack", "local/edge/a.ts", 'import "../../domain/key.ts";'],
    ["a rule of the field in an emulator", "emulators/iam/a.ts", 'import "../../domain/key.ts";'],
    ["the local stack in an emulator", "emulators/sqs/a.ts", 'import "../../local/program/program.ts";'],
    ["the platform in a test of an emulator", "emulators/test/sqs/a.test.ts", 'import "../../../domain/key.ts";'],
    ["a handler in a component", "components/a.ts", 'import "../handlers/proxy/handler.ts";'],
    ["a handler on the one screen", "index.ts", 'import "./handlers/proxy/contract.ts";'],
    ["the platform in a package", "packages/token-helper/cli.ts", 'import "../../domain/key.ts";'],
    ["the environment as a module", "adapters/sts.ts", 'import { env } from "node:process";'],
    ["an operation in the data of its route", "handlers/control/keys/a.routes.ts", 'import "./tenants.ts";'],
    ["a noun's own schema among all nouns", "handlers/control/nouns.ts", 'import "../../domain/page.ts";'],
    ["a folder without a row", "lib/a.ts", "export const a = 1;"],
  ])("the rules of the architecture catch %s", (_, path, text) =>
    expect(wrongImports(parseSource(path, text))).toHaveLength(1),
  );

  test.each([
    ["the clock", "domain/a.ts", "const now = Date.now();"],
    ["the clock as a value", "domain/a.ts", "const clock = Date.now;"],
    ["the time of day", "domain/a.ts", "const day = new Date().getDay();"],
    ["chance", "domain/a.ts", 'import { randomUUID } from "node:crypto";'],
    ["chance behind a namespace", "domain/a.ts", 'import * as c from "node:crypto"; c.randomBytes(1);'],
    ["the environment", "adapters/sts.ts", "const region = process.env.AWS_REGION;"],
    ["the environment behind a name", "adapters/dynamodb/a.ts", 'const { env } = globalThis["process"];'],
    ["the environment in a handler", "handlers/proxy/a.ts", 'import { readEnv } from "../contract.ts";'],
  ])("the rules of the architecture find: %s", (_, path, text) =>
    expect(wrongNames(parseSource(path, text))).not.toEqual([]),
  );

  test.each([
    ["a drawer", "domain/utils.ts", "export const a = 1;"],
    ["a drawer of a folder", "local/helpers/a.ts", "export const a = 1;"],
    ["a camel", "domain/rateLimit.ts", "export const a = 1;"],
    ["a fourth folder", "local/a/b/c/d.ts", "export const a = 1;"],
    ["a barrel", "domain/all.ts", 'export * from "./key.ts"; export { a } from "./slug.ts";'],
  ])("the rules of the architecture report: %s", (_, path, text) =>
    expect(wrongPlaces(parseSource(path, text))).toHaveLength(1),
  );

  test.each([
    ["its form", 'const version = "bedrock-2023-05-31";'],
    ["its metrics", 'const name = "amazon-bedrock-invocationMetrics";'],
    ["its errors", "const unknown = /^(\\w+): Extra inputs are not permitted$/;"],
    ["the spelling of its profiles", 'const isGlobal = (id: string) => id.startsWith("global.");'],
    ["a resource of its", 'const arn = "arn:aws:x:us-east-1::foundation-model/x";'],
  ])("the rules of the architecture catch the model host's wire in a domain rule: %s", (_, text) => {
    expect(hostWords(parseSource("domain/messages/a.ts", text))).toHaveLength(1);
    expect(hostWords(parseSource("adapters/bedrock/a.ts", text))).toEqual([]);
  });

  test("the rules of the architecture catch a cast in an operation, but no constant", () => {
    expect(wrongCasts(parseSource("handlers/control/keys/a.ts", "const a = b as never;"))).toHaveLength(1);
    expect(wrongCasts(parseSource("handlers/control/keys/a.routes.ts", "const a = [1] as const;"))).toEqual([]);
  });

  test("the rules of the architecture catch a long file, but no long suite", () => {
    const text = "export const a = 1;\n".repeat(mostLines);
    expect(tooLong(parseSource("bench/a.ts", text))).toEqual([]);
    expect(tooLong(parseSource("bench/a.ts", `${text}${text}`))).toHaveLength(1);
    expect(tooLong(parseSource("test/domain/budget/a.test.ts", `${text}${text}`))).toEqual([]);
  });

  test("the rules of the architecture catch a cycle of types", () => {
    const a = parseSource("domain/a.ts", 'import type { B } from "./b.ts";');
    const b = parseSource("domain/b.ts", 'export { c } from "./c.ts";');
    const c = parseSource("domain/c.ts", 'import type { A } from "./a.ts";');
    expect(cycles([a, b, c])).toEqual(["domain/a.ts > domain/b.ts > domain/c.ts > domain/a.ts"]);
    expect(cycles([a, b])).toEqual([]);
  });

  test("the rules of the architecture catch a circle of contexts", () => {
    const one = parseSource("domain/access/a.ts", 'import type { B } from "../budget/b.ts";');
    const other = parseSource("domain/budget/c.ts", 'import { d } from "../access/d.ts";');
    expect(cycles([one, other])).toEqual([]);
    expect(circles([one, other], "domain")).toEqual([
      "domain/access > domain/budget > domain/access",
      "domain/access/a.ts imports domain/budget/b.ts",
      "domain/budget/c.ts imports domain/access/d.ts",
    ]);
  });

  test("the rules of the architecture catch an import from a lower layer to a higher one", () => {
    const down = parseSource("handlers/a/lambda.ts", 'import { a } from "../../adapters/a/b.ts";');
    const up = parseSource("adapters/c.ts", 'import type { D } from "../handlers/d/contract.ts";');
    expect(cycles(layers([down]))).toEqual([]);
    expect(cycles(layers([down, up]))).toEqual(["adapters > handlers > adapters"]);
  });

  test("the rules of the architecture catch an SDK in two adapters", () => {
    const text = 'import "@aws-sdk/client-sts";';
    const one = [parseSource("adapters/dynamodb/a.ts", text), parseSource("adapters/dynamodb/b.ts", text)];
    expect(sharedSdks(one)).toEqual([]);
    expect(sharedSdks([...one, parseSource("adapters/sts.ts", text)])).toHaveLength(1);
  });

  test("the rules of the architecture catch an imported lambda.ts", () => {
    expect(wrongImporters(parseSource("handlers/proxy/handler.ts", 'import "./lambda.ts";'))).toHaveLength(1);
  });
});

function wrongImports({ path, imports }: SourceFile): string[] {
  const row = mayImport.find(([pattern]) => matchesGlob(path, pattern));
  if (!row) return [`${path} is in no row of the table`];
  return imports
    .filter(({ target }) => !fitsAny(target, row[1], path))
    .map(({ target }) => `${path} imports ${target}`);
}

function wrongImporters({ path, imports }: SourceFile): string[] {
  return imports
    .filter(({ target }) =>
      importedBy.some(
        ([pattern, importers]) =>
          matchesGlob(target, pattern) && !fitsAny(path, [...importers, "test/**", "emulators/test/**"], target),
      ),
    )
    .map(({ target }) => `${path} imports ${target}`);
}

function wrongNames({ path, names }: SourceFile): string[] {
  return mayNotUse
    .filter(([pattern]) => matchesGlob(path, pattern))
    .flatMap(([, forbidden]) => forbidden.filter((name) => names.has(name)))
    .map((name) => `${path} uses ${name}`);
}

function hostWords({ path, text }: SourceFile): string[] {
  if (!matchesGlob(path, domain) || matchesGlob(path, namesTheHost)) return [];
  const words = wireWords.map((word) => word.exec(text)?.[0]).find((found) => found !== undefined);
  return words === undefined ? [] : [`${path} says ${words}`];
}

function wrongCasts({ path, casts }: SourceFile): string[] {
  return casts > 0 && matchesGlob(path, mayNotCast) ? [`${path} has ${casts} casts`] : [];
}

function wrongPlaces({ path, isBarrel }: SourceFile): string[] {
  const folders = dirname(path).split("/");
  // Tests mirror the folders of the sources.
  const deepest = matchesGlob(path, "{test,emulators/test}/**") ? 4 : 3;
  const problems = {
    "only passes on what others export": isBarrel,
    "is not in kebab-case": !kebabCase.test(basename(path)),
    "is a drawer":
      path !== "index.ts" && [...folders, basename(path).replace(/\.tsx?$/, "")].some((name) => drawers.test(name)),
    "is too deep": folders.length > deepest,
  };
  return Object.entries(problems).flatMap(([problem, holds]) => (holds ? [`${path} ${problem}`] : []));
}

function tooLong({ path, lines }: SourceFile): string[] {
  return lines > mostLines && !matchesGlob(path, suites) ? [`${path} has ${lines} lines`] : [];
}

/** Each circle of the folders right below a place, followed by the imports that make it. */
function circles(files: SourceFile[], place: string): string[] {
  return cycles(folders(files, place)).flatMap((circle) => {
    const [first = "", ...others] = circle.split(" > ");
    const arrows = others.map((to, index) => ({ from: [first, ...others][index], to }));
    const imports = arrows.flatMap(({ from, to }) =>
      files
        .filter(({ path }) => dirname(path) === from)
        .flatMap(({ path, imports }) =>
          imports.filter(({ target }) => dirname(target) === to).map(({ target }) => `${path} imports ${target}`),
        ),
    );
    return [circle, ...imports];
  });
}

/** The folders right below a place, as if each were one file that imports all that its files import. */
function folders(files: SourceFile[], place: string): SourceFile[] {
  const isInside = (path: string) => matchesGlob(path, `${place}/*/*.ts`);
  const inside = files.filter(({ path }) => isInside(path));
  return [...Map.groupBy(inside, ({ path }) => dirname(path))].map(([path, members]) => ({
    ...parseSource(path, ""),
    imports: members.flatMap(({ imports }) =>
      imports
        .filter(({ target }) => isInside(target) && dirname(target) !== path)
        .map((one) => ({ ...one, target: dirname(one.target) })),
    ),
  }));
}

/** The first folders of all paths, but for test/, which may import everything, as if each were one file. */
function layers(files: SourceFile[]): SourceFile[] {
  const layerOf = (path: string) => path.split("/")[0] ?? "";
  const inside = files.filter(({ path }) => path.includes("/") && layerOf(path) !== "test");
  return [...Map.groupBy(inside, ({ path }) => layerOf(path))].map(([path, members]) => ({
    ...parseSource(path, ""),
    imports: members.flatMap(({ imports }) =>
      imports
        .map((one) => ({ ...one, target: layerOf(one.target) }))
        .filter(({ target }) => target !== path && target !== "test"),
    ),
  }));
}

function contextsIn(place: string): string[] {
  const below = files.filter(({ path }) => matchesGlob(path, `${place}/*/*.ts`));
  return [...new Set(below.map(({ path }) => path.slice(place.length + 1, path.lastIndexOf("/"))))];
}

/** Each cycle once, from its first file in the alphabet. */
function cycles(files: SourceFile[]): string[] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
  const done = new Set<string>();
  const found = new Set<string>();
  for (const { path } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) follow(path, []);
  return [...found];

  function follow(path: string, trail: string[]): void {
    if (trail.includes(path)) found.add([...trail.slice(trail.indexOf(path)), path].join(" > "));
    if (done.has(path) || trail.includes(path)) return;
    for (const target of importsOf.get(path) ?? []) follow(target, [...trail, path]);
    done.add(path);
  }
}

/** Packages, apart from what every AWS client is built on, that two adapters import; a folder is one adapter. */
function sharedSdks(files: SourceFile[]): string[] {
  const owners = new Map<string, Set<string>>();
  for (const { path, imports } of files.filter(({ path }) => matchesGlob(path, adapters))) {
    const [, adapter = ""] = path.split("/");
    for (const { target } of imports.filter(({ target }) => /^npm:(?!@smithy\/|zod$)/.test(target))) {
      owners.set(target, (owners.get(target) ?? new Set()).add(adapter));
    }
  }
  return [...owners].filter(([, adapters]) => adapters.size > 1).map(([sdk, by]) => `${sdk}: ${[...by].join(", ")}`);
}

function fitsAny(path: string, patterns: string[], seenFrom: string): boolean {
  const own = seenFrom.startsWith("packages/") ? seenFrom.split("/", 2).join("/") : dirname(seenFrom);
  return patterns.some((pattern) => matchesGlob(path, pattern.replace(/^own\//, `${own}/`)));
}
